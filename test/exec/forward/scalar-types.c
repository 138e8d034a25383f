//===- scalar-types.c - every floating point type -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tangent of a returned number comes back in its declared type, for
// arguments of each type, with marker and without; conversions between the
// types carry it.
//
//===----------------------------------------------------------------------===//

#include "forward.h"

_Float16 __verso_jvp_half(void *, ...);
long double __verso_jvp_long_double(void *, ...);

static double f(double x, double y) { return x * x * y + sin(y); }
static float ff(float x, float y) { return x * x * y; }
static long double fl(long double x, long double y) { return x * x / y; }
static _Float16 fh(_Float16 x, _Float16 y) { return x * x + y; }
static double widened(float x, _Float16 h, long double l) {
  return (double)x * x + (double)h * (double)l;
}
static float narrowed(double x, long double l) {
  float a = (float)x, b = (float)l;
  return a * b;
}
static int truncated(double x) { return (int)(x * 3); }
static double through_integer(double x) { return truncated(x) * x; }
static double with_integer(double x, int n) {
  double r = 1;
  for (int i = 0; i < n; ++i)
    r *= x;
  return r;
}

int main(void) {
  CHECK_CLOSE(__verso_jvp(f, verso_dup, 3.0, 0.5, verso_dup, 2.0, -1.0),
              2 * 3 * 2 * 0.5 - (9 + cos(2)), 1e-15);
  CHECK_CLOSE(__verso_jvp(f, 3.0, 0.5, 2.0, -1.0),
              2 * 3 * 2 * 0.5 - (9 + cos(2)), 1e-15);
  CHECK_CLOSE(__verso_jvp(f, verso_dup, 3.0, 0.5, verso_const, 2.0), 6, 1e-15);
  CHECK_CLOSE(__verso_jvp(f, verso_const, 3.0, verso_dup, 2.0, 1.0), 9 + cos(2),
              1e-15);
  CHECK_EQUAL(__verso_jvp(f, verso_const, 3.0, verso_const, 2.0), 0);
  CHECK_EQUAL(__verso_jvp_float(ff, 3.0f, 0.5f, 2.0f, -1.0f), 6 - 9);
  CHECK_EQUAL(__verso_jvp_float(ff, verso_dup, 3.0f, 0.5f, verso_const, 2.0f),
              6);
  long double l =
      __verso_jvp_long_double(fl, verso_dup, 3.0L, 1.0L, verso_const, 7.0L);
  // All of the type's precision.
  CHECK(fabsl(l - 6.0L / 7.0L) < 2e-19L);
  l = __verso_jvp_long_double(fl, 3.0L, 0.0L, 7.0L, 1.0L);
  CHECK(fabsl(l + 9.0L / 49.0L) < 2e-19L);
  _Float16 h = __verso_jvp_half(fh, verso_dup, (_Float16)1.5, (_Float16)2,
                                verso_dup, (_Float16)1, (_Float16)0.25);
  CHECK_EQUAL((double)h, 6.25);
  CHECK_EQUAL(__verso_jvp(widened, verso_dup, 2.0f, 1.0f, verso_dup,
                          (_Float16)3, (_Float16)0.5, verso_dup, 4.0L, 2.0L),
              4 + 0.5 * 4 + 3 * 2);
  CHECK_EQUAL(__verso_jvp_float(narrowed, 2.0, 1.0, 3.0L, 0.5L), 3 + 1);
  CHECK_EQUAL(__verso_jvp(through_integer, 2.5, 2.0), 14);
  CHECK_EQUAL(__verso_jvp(with_integer, 2.0, 1.0, 5), 80);
  CHECK_EQUAL(__verso_jvp(with_integer, verso_dup, 2.0, 1.0, verso_const, 5),
              80);
  return check_status();
}
