//===- structures-by-bytes.c - structures that are copied byte by byte ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over bytes moves a structure with a pointer, numbers and integers out of
// memory that the request duplicated; also in pieces of two and four bytes, of
// which none shows what it belongs to. The pointer keeps its shadow, the numbers
// their derivatives.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdint.h>

typedef struct {
  double *values;
  double scale;
  float gain;
  int count;
} Model;

#define MOVE(TYPE)                                                             \
  CHECK_NOINLINE static void move_##TYPE(void *to, const void *from, int n) {  \
    for (int i = 0; i < n / (int)sizeof(TYPE); ++i) {                          \
      TYPE piece;                                                              \
      memcpy(&piece, (const char *)from + i * sizeof piece, sizeof piece);     \
      __asm__ volatile("" ::: "memory");                                       \
      memcpy((char *)to + i * sizeof piece, &piece, sizeof piece);             \
    }                                                                          \
  }                                                                            \
  static double use_##TYPE(Model *m) {                                         \
    Model copy;                                                                \
    move_##TYPE(&copy, m, sizeof copy);                                        \
    double *v = copy.values;                                                   \
    return copy.scale * v[0] * v[0] * v[1] * copy.count + copy.gain;           \
  }                                                                            \
  static void within_##TYPE(double *x) {                                       \
    move_##TYPE(x + 1, x, 8);                                                  \
    x[2] = x[1] * x[1];                                                        \
  }
MOVE(int8_t)
MOVE(int16_t)
MOVE(int32_t)
MOVE(int64_t)

#define CHECK_USE(TYPE)                                                        \
  do {                                                                         \
    double v[2] = {2, 5}, d[2] = {0};                                          \
    Model m = {v, 3, 7, 2}, dm = {d, 0, 0, 2};                                 \
    __verso_grad_void((void *)use_##TYPE, verso_dup, &m, &dm);                 \
    CHECK_EQUAL(d[0], 3 * 2 * 2 * 5 * 2);                                      \
    CHECK_EQUAL(d[1], 3 * 4 * 2);                                              \
    CHECK_EQUAL(dm.scale, 4 * 5 * 2);                                          \
    CHECK_EQUAL(dm.gain, 1);                                                   \
    double x[3] = {2, 3, 4}, dx[3] = {10, 100, 1000};                          \
    __verso_vjp_void((void *)within_##TYPE, verso_dup, x, dx);                 \
    CHECK_EQUAL(dx[0], 10 + 100 + 1000 * 2 * 2);                               \
    CHECK_EQUAL(dx[1], 0);                                                     \
    CHECK_EQUAL(dx[2], 0);                                                     \
  } while (0)

/// Shadows that hold multiples of the numbers are no integers, whatever the
/// lower half looks like.
CHECK_NOINLINE static double through_copy(double *x, int n) {
  double copy[8], sum = 0;
  memcpy(copy, x, (size_t)n * sizeof *x);
  for (int i = 0; i < n; ++i)
    sum += copy[i] * copy[i];
  return sum;
}

int main(void) {
  CHECK_USE(int8_t);
  CHECK_USE(int16_t);
  CHECK_USE(int32_t);
  CHECK_USE(int64_t);
  for (int k = -2; k <= 2; ++k) {
    double x[8], dx[8], start[8];
    for (int i = 0; i < 8; ++i) {
      x[i] = 1.5 + ldexp(3 * i + 1, -52); // A small lower half.
      dx[i] = start[i] = k == 0 ? -x[i] : ldexp(x[i], k);
    }
    __verso_grad_void((void *)through_copy, verso_dup, x, dx, 8);
    for (int i = 0; i < 8; ++i)
      CHECK_EQUAL(dx[i], start[i] + 2 * x[i]);
  }
  return check_status();
}
