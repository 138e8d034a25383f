//===- recto-values.c - partials that the recto has computed --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that the reverse sweep takes from the forward sweep: of the iteration
// that is reversed, not of the last; of a branch that was taken; through memory
// that is overwritten; where the quotient is infinite and nothing comes to it;
// in loops that stop by what they compute or are not entered.
//
//===----------------------------------------------------------------------===//

#include "kernels.h"

KERNEL(newton, {
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    double y = x[i];
    for (double step = 1; fabs(step) > 1e-12; y -= step)
      step = (y - 0.5 * sin(y) - x[i]) / (1 - 0.5 * cos(y));
    sum += y * y;
    x[i] = y * sum;
  }
  SUM(n * n)
})

/// A branch, and a value from before it.
KERNEL(branches, {
  for (size_t i = 0; i < n * n; ++i) {
    double s = sin(x[i]);
    if (x[i] > 1)
      s *= cos(x[i]);
    else if (x[i] > 0.5)
      s *= exp(x[i]) / x[i];
    x[i] = s + 1 / (1 + x[i]);
  }
  SUM(n * n)
})

/// The same angle, of an outer loop and of an inner one, overwritten.
KERNEL(angles, {
  for (size_t i = 0; i + 1 < n; ++i) {
    double c = cos(x[i]);
    for (size_t j = i + 1; j < n; ++j) {
      x[j] = sin(x[i]) * c + cos(x[j]) * sin(x[j]);
      x[n + j] = sinh(x[j] / 4) * cosh(x[j] / 4);
    }
    x[i] = c * c;
  }
  SUM(2 * n)
})

/// What comes before a loop is of the last run of another.
KERNEL(left_early, {
  double a = 1;
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      double s = sin(a);
      if (s * x[j] > 1.5)
        break;
      a = 0.5 * a + cos(a) * x[i];
    }
    x[i] += sin(a) / a;
  }
  SUM(n * n)
})

/// Infinite where nothing comes to it.
CHECK_NOINLINE static double infinite(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double q = 1 / x[i], l = log(x[i]);
    sum += x[i] > 0 ? q + l : x[i];
  }
  return sum;
}

/// Second derivatives see both.
CHECK_NOINLINE static double waves(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += sin(x[i]) * cos(x[i]) * x[i];
  return sum;
}
static void slopes(const double *x, double *g, int n) {
  for (int i = 0; i < n; ++i)
    g[i] = 0;
  __verso_grad_void((void *)waves, verso_dup, x, g, verso_const, n);
}

int main(void) {
  ALL(newton);
  ALL(branches);
  ALL(angles);
  ALL(left_early);

  double x[3] = {0, 2, -1}, d[3] = {0};
  __verso_grad_void((void *)infinite, verso_dup, x, d, verso_const, 3);
  CHECK_EQUAL(d[0], 1);
  CHECK_CLOSE(d[1], -0.25 + 0.5, 1e-14);
  CHECK_EQUAL(d[2], 1);

  double g[3], dg[3] = {1, 1, 1}, dd[3] = {0};
  __verso_vjp_void((void *)slopes, verso_dup, x, dd, verso_dup, g, dg,
                   verso_const, 3);
  for (int i = 0; i < 3; ++i) {
    double s = sin(2 * x[i]), c = cos(2 * x[i]);
    CHECK_CLOSE(g[i], s / 2 + x[i] * c, 1e-14);
    CHECK_CLOSE(dd[i], 2 * c - 2 * x[i] * s, 1e-13);
  }
  return check_status();
}
