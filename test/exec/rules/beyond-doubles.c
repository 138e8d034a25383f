//===- beyond-doubles.c - long doubles that no double can be --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lentz's continued fractions begin with the root of the smallest number, and
// libraries compute them in long double (Boost.Math's Bessel functions do for
// any double). Their partial derivatives are beyond the range of doubles where
// the derivative is not.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <float.h>
#include <verso/verso.h>

/// The derivative of the logarithm of a Bessel function of order v.
static double fraction(double x, int terms) {
  long double tiny = sqrtl(LDBL_MIN), c = tiny, f = tiny, d = 0;
  for (int k = 1; k < terms; ++k) {
    long double a = 2 * (2.25L + k) / x;
    c = a - 1 / c;
    d = a - d;
    if (c == 0)
      c = tiny;
    if (d == 0)
      d = tiny;
    d = 1 / d;
    long double delta = c * d;
    f *= delta;
    if (fabsl(delta - 1) < LDBL_EPSILON)
      break;
  }
  return (double)f;
}

/// Numbers that are scaled down, and their products up again.
static double scaled(const double *x, int n) {
  long double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (x[i] * 1e-1000L) * (x[(i + 1) % n] * 1e-1000L) * 1e2000L;
  return (double)sum;
}

int main(void) {
  double x = 8.125, dx = __verso_grad((void *)fraction, x, 100);
  double step = 1e-3, slope[3];
  for (int i = 0; i < 3; ++i, step *= 2)
    slope[i] =
        (fraction(x + step, 100) - fraction(x - step, 100)) / (2 * step);
  CHECK_CLOSE(dx, check_extrapolate(slope[0], slope[1], slope[2]), 1e-9);
  CHECK_CLOSE(
      __verso_jvp((void *)fraction, verso_dup, x, 1.0, verso_const, 100), dx,
      1e-14);

  double y[3] = {1.5, -2, 3}, dy[3] = {0};
  __verso_grad((void *)scaled, verso_dup, y, dy, verso_const, 3);
  for (int i = 0; i < 3; ++i)
    CHECK_CLOSE(dy[i], y[(i + 1) % 3] + y[(i + 2) % 3], 1e-14);
  return check_status();
}
