//===- powers-and-quotients.c - a root times its number, a constant over
//---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The derivative of x sqrt(x) is taken by x alone, so that it is 0 at 0 in
// every mode, where the root's is infinite; that of c / y is made of the
// quotient, in every type, and is infinite, or zero, where c / y^2 is.
//
// Sanitizers leave too few windows for forward requests inside others.
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//

#include "../forward/forward.h"

static double power(double x) { return x * sqrt(x); }
static double power_first(double x) { return sqrt(x) * x; }
static double power_and_sum(double x) { return x * sqrt(x) + 3 * x; }
static double shared_root(double x) {
  double root = sqrt(x);
  return x * root + 2 * root;
}
static double pull(double x) { return 0.01 / (x * sqrt(x)); }
static double inverse(double y) { return 1 / y; }
static double third(double y) { return 3 / y; }
static double huge_over(double y) { return 1e200 / y; }
static double tiny_over(double y) { return -1e-310 / y; }
static double infinite_over(double y) { return __builtin_inf() / y; }
static float third_float(float y) { return 3 / y; }
static float small_float(float y) { return 1e-38f / y; }
static long double tenth_long(long double y) { return 0.1L / y; }

float __verso_grad_float(void *, ...);
float __verso_jvp_float(void *, ...);
long double __verso_grad_long(void *, ...);

#define BOTH(F, X, D, TOLERANCE)                                               \
  CHECK_CLOSE(__verso_grad(F, X), D, TOLERANCE);                               \
  CHECK_CLOSE(__verso_jvp(F, verso_dup, X, 1.0), D, TOLERANCE)

static double power_r(double x) { return __verso_grad(power, x); }
static double power_f(double x) {
  return __verso_jvp(power, verso_dup, x, 1.0);
}
static double pull_r(double x) { return __verso_grad(pull, x); }
static double pull_f(double x) { return __verso_jvp(pull, verso_dup, x, 1.0); }
static double third_r(double x) { return __verso_grad(third, x); }
static double third_f(double x) {
  return __verso_jvp(third, verso_dup, x, 1.0);
}

/// Sums over an array, in loops: what is recorded is read back.
static double sum(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * sqrt(x[i]) + 7 / (x[i] * sqrt(x[i])) - 2 / x[i];
  return s * s;
}

int main(void) {
  BOTH(power, 4.0, 3, 1e-15);
  BOTH(power, 0.0, 0, 0);
  BOTH(power_first, 4.0, 3, 1e-15);
  BOTH(power_first, 0.0, 0, 0);
  BOTH(power_and_sum, 0.25, 3.75, 1e-15);
  BOTH(power_and_sum, 0.0, 3, 0);
  BOTH(shared_root, 4.0, 3.5, 1e-15);
  BOTH(pull, 4.0, -0.01 * 1.5 / 32, 1e-15);

  BOTH(inverse, -0.5, -4, 1e-15);
  BOTH(inverse, 1e200, 0, 0);
  BOTH(inverse, 1e-200, -__builtin_inf(), 0);
  BOTH(inverse, -0.0, -__builtin_inf(), 0);
  BOTH(inverse, __builtin_inf(), 0, 0);
  BOTH(third, 0.7, -3 / (0.7 * 0.7), 1e-15);
  BOTH(third, 1e-150, -3e300, 1e-15);
  BOTH(huge_over, 1e150, -1e-100, 1e-15);
  BOTH(huge_over, 1e250, -1e-300, 1e-15);
  BOTH(tiny_over, 1e-100, 1e-110, 1e-13);
  BOTH(infinite_over, 2.0, -__builtin_inf(), 0);
  CHECK_CLOSE(__verso_grad_float(third_float, 0.7f), -3 / 0.49, 1e-6);
  CHECK_CLOSE(__verso_jvp_float(third_float, verso_dup, 0.7f, 1.0f), -3 / 0.49,
              1e-6);
  CHECK_CLOSE(__verso_grad_float(small_float, 1e-8f), -1e-22, 1e-6);
  long double exact = -0.1L / (0.3L * 0.3L);
  CHECK_CLOSE((double)(__verso_grad_long(tenth_long, 0.3L) - exact), 0, 1e-16);

  CHECK_CLOSE(__verso_grad(power_r, 4.0), 0.375, 1e-15);
  CHECK_CLOSE(__verso_grad(power_f, 4.0), 0.375, 1e-15);
  CHECK_CLOSE(__verso_jvp(power_r, verso_dup, 4.0, 1.0), 0.375, 1e-15);
  CHECK_CLOSE(__verso_jvp(power_f, verso_dup, 4.0, 1.0), 0.375, 1e-15);
  CHECK_CLOSE(__verso_grad(pull_r, 4.0), 0.01 * 3.75 / 128, 1e-14);
  CHECK_CLOSE(__verso_grad(pull_f, 4.0), 0.01 * 3.75 / 128, 1e-14);
  CHECK_CLOSE(__verso_jvp(pull_r, verso_dup, 4.0, 1.0), 0.01 * 3.75 / 128,
              1e-14);
  CHECK_CLOSE(__verso_jvp(pull_f, verso_dup, 4.0, 1.0), 0.01 * 3.75 / 128,
              1e-14);
  CHECK_CLOSE(__verso_grad(third_r, 2.0), 0.75, 1e-15);
  CHECK_CLOSE(__verso_grad(third_f, 2.0), 0.75, 1e-15);
  CHECK_CLOSE(__verso_jvp(third_r, verso_dup, 2.0, 1.0), 0.75, 1e-15);
  CHECK_CLOSE(__verso_jvp(third_f, verso_dup, 2.0, 1.0), 0.75, 1e-15);

  double x[5] = {0.3, 1, 2, 3.5, 6}, dx[5] = {0}, s = 0;
  for (int i = 0; i < 5; ++i)
    s += x[i] * sqrt(x[i]) + 7 / (x[i] * sqrt(x[i])) - 2 / x[i];
  __verso_grad(sum, verso_dup, x, dx, 5);
  for (int i = 0; i < 5; ++i) {
    double r = sqrt(x[i]);
    double exact =
        2 * s * (1.5 * r - 10.5 / (x[i] * x[i] * r) + 2 / (x[i] * x[i]));
    CHECK_CLOSE(dx[i], exact, 1e-13);
    double e[5] = {0};
    e[i] = 1;
    CHECK_CLOSE(__verso_jvp(sum, verso_dup, x, e, 5), exact, 1e-13);
  }
  return check_status();
}
