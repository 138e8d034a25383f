//===- words-in-pieces.c - integers that only look like joined halves -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Words that programs put together of halves, as readers of bits and generators
// of random numbers do, are what they are: a half that is shifted by a variable
// is no half of a word in memory, and two integers beside numbers, with a
// shadow, are no number. (From -O2 on LLVM itself makes one load of the two.)
// LEVELS: O0 O1
//
//===----------------------------------------------------------------------===//

#include "../forward/forward.h"
#include <stdint.h>
#include <string.h>

typedef struct {
  uint32_t half[2];
  double weight;
  int shift;
} State;

static double unit(uint64_t word) {
  return (double)(word * UINT64_C(0x9e3779b97f4a7c15) >> 40) * 0x1p-24;
}
static double shifted(const double *x, const State *s) {
  return unit((uint64_t)s->half[0] << s->shift | (uint64_t)s->half[1] << 32) *
         x[0] * x[1];
}
static double shiftedDown(const double *x, const State *s) {
  const uint64_t word = (uint64_t)s->half[1] << 32 | s->half[0];
  return unit(word >> s->shift | (word & UINT64_C(0xffffffff00000000))) * x[0];
}
static double drawn(const double *x, const State *s) {
  const uint64_t word = (uint64_t)s->half[1] << 32 | s->half[0];
  return (double)word * 0x1p-64 * x[0] * s->weight;
}
static double rotated(const double *x, const State *s) {
  uint64_t word = (uint64_t)s->half[0] << 32 | s->half[1];
  for (int i = 0; i < s->shift; ++i)
    word = word << 13 | word >> 51;
  return unit(word) * x[0] * x[1];
}
static double chosen(const double *x, const State *s) {
  uint64_t a, b;
  memcpy(&a, x, sizeof a);
  memcpy(&b, x + 1, sizeof b);
  const uint32_t low = s->shift > 2 ? (uint32_t)a : (uint32_t)b;
  const uint32_t high = (uint32_t)((s->shift > 2 ? a : b) >> 32);
  const uint64_t bits = (uint64_t)high << 32 | low;
  double y;
  memcpy(&y, &bits, sizeof y);
  return y * y;
}

#define CHECK_STATE(F)                                                         \
  do {                                                                         \
    double x[2] = {1.5, 2.25}, gradient[2] = {0};                              \
    State s = {{0x12345678u, 0x9abcdef1u}, 2, 3};                              \
    State shadow = {{77, 88}, 0, 3};                                           \
    const double value = F(x, &s);                                             \
    CHECK_CLOSE(__verso_value_and_grad(F, verso_dup, x, gradient, verso_dup,   \
                                       &s, &shadow),                           \
                value, 1e-14);                                                 \
    CHECK(shadow.half[0] == 77 && shadow.half[1] == 88 && shadow.shift == 3);  \
    for (int i = 0; i < 2; ++i) {                                              \
      const double step = 1e-5, here = x[i];                                   \
      double v[2] = {0};                                                       \
      v[i] = 1;                                                                \
      State tangent = {{0}, 0, 0};                                             \
      CHECK_CLOSE(__verso_jvp(F, verso_dup, x, v, verso_dup, &s, &tangent),    \
                  gradient[i], 1e-12);                                         \
      x[i] = here + step;                                                      \
      const double above = F(x, &s);                                           \
      x[i] = here - step;                                                      \
      CHECK_CLOSE(gradient[i], (above - F(x, &s)) / (2 * step), 1e-8);         \
      x[i] = here;                                                             \
    }                                                                          \
  } while (0)

double __verso_value_and_grad(void *, ...);

int main(void) {
  CHECK_STATE(shifted);
  CHECK_STATE(shiftedDown);
  CHECK_STATE(drawn);
  CHECK_STATE(rotated);
  CHECK_STATE(chosen);
  return check_status();
}
