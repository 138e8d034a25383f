//===- fields-changed-in-registers.c - what is computed beside a number ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small integer is computed within the register that a float lies in as well,
// and masked afterwards: nothing of the float goes into it. No tangent is taken
// for an address because of its bits, however small it is, nor is a tangent of
// two bytes above that of a float.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);

#define RECORD(NAME, FIELDS, CHANGE)                                           \
  typedef struct {                                                             \
    FIELDS;                                                                    \
  } NAME##Record;                                                              \
  CHECK_NOINLINE static NAME##Record NAME##Step(NAME##Record s, int i) {       \
    (void)i;                                                                   \
    CHANGE;                                                                    \
    return s;                                                                  \
  }                                                                            \
  static double NAME(const double *x, int n) {                                 \
    NAME##Record s = {.f = (float)x[0], .c = 1}, a[2] = {s, s};                \
    for (int i = 0; i < n; ++i) {                                              \
      s = NAME##Step(s, i);                                                    \
      a[i % 2] = NAME##Step(a[i % 2], i);                                      \
    }                                                                          \
    return 2 * s.f + a[0].f * a[1].f;                                          \
  }

RECORD(shifted, float f; signed char c, s.c <<= 1)
RECORD(shiftedBelow, signed char c; float f, s.c <<= 1)
RECORD(shiftedShort, float f; short c, s.c <<= 1)
RECORD(shiftedBySteps, float f; signed char c, s.c <<= i & 1)
RECORD(added, float f; signed char c, s.c += 3; s.c *= 2)
RECORD(negated, float f; signed char c, s.c = -s.c)
RECORD(scaled, float f; signed char c, s.c <<= 1; s.f *= 1)

// Two-byte numbers by forward mode alone.
typedef struct {
  float f;
  _Float16 h;
  short c;
} Half;
CHECK_NOINLINE static Half exchange(Half s) {
  s.c ^= 5;
  return s;
}
static double halves(const double *x, int n) {
  Half s[2] = {{(float)x[0], (_Float16)x[0], 6}, {2, (_Float16)x[0], 0}};
  for (int i = 0; i < n; ++i)
    s[i % 2] = exchange(s[i % 2]);
  return 2 * s[0].f + s[0].h + s[1].h;
}

#define CHECK_RECORD(F)                                                        \
  do {                                                                         \
    double x = 1.5, dx = 0;                                                    \
    __verso_grad_void((void *)F, verso_dup, &x, &dx, verso_const, n);          \
    CHECK_EQUAL(dx, 5);                                                        \
    CHECK_TANGENTS(F, 5);                                                      \
  } while (0)
#define CHECK_TANGENTS(F, SLOPE)                                               \
  for (int k = 0; k < 3; ++k)                                                  \
  CHECK_EQUAL(                                                                 \
      __verso_jvp((void *)F, verso_dup, &at, &seeds[k], verso_const, n) /      \
          seeds[k],                                                            \
      SLOPE)

int main(void) {
  volatile int n = 4;
  double at = 1.5, seeds[3] = {1, -0.5, 0x1p-80};
  CHECK_RECORD(shifted);
  CHECK_RECORD(shiftedBelow);
  CHECK_RECORD(shiftedShort);
  CHECK_RECORD(shiftedBySteps);
  CHECK_RECORD(added);
  CHECK_RECORD(negated);
  CHECK_RECORD(scaled);
  CHECK_EQUAL(
      __verso_jvp((void *)halves, verso_dup, &at, &seeds[0], verso_const, n),
      4);
  return check_status();
}
