//===- at-zeros.c - derivatives of adjoints that are zero ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An adjoint or a tangent that is zero at a point, as where a residual vanishes,
// varies all the same: second and third derivatives there, through operations
// whose partials may be infinite (sqrt, log, division, pow), by every order of
// the modes. And where the partial *is* infinite, zero times it stays zero.
//
// Sanitizers leave too few windows for forward requests inside others.
// REQUIRES: unsanitized
// HEAVY: tapes of tapes
//
//===----------------------------------------------------------------------===//

#include "../forward/forward.h"

static double roots(double x) { return (sqrt(x) - 1) * (sqrt(x) - 1); }
static double logs(double x) { return log(x) * log(x); }
static double ratio(double x) { return (x / 2 - 1) * (6 / x - 3); }
static double power(double x) {
  double r = pow(x, 1.5) - 1;
  return r * r;
}
static double bend(double x) { return sqrt(1 + x * x); }
static double bump(double x) { return 1 / (1 + x * x); }
static double flat(double x) { return log(1 + x * x) + x * x * x; }
/// Of arrays, in a loop: the number of terms whose residual is zero is n - 1.
static double fit(double x) {
  double r[6], sum = 0;
  for (int i = 0; i < 6; ++i)
    r[i] = log(x + (i == 2)) + sqrt(x) - 1;
  for (int i = 0; i < 6; ++i)
    sum += r[i] * r[i] / x;
  return sum;
}

#define ORDERS(F)                                                              \
  static double F##_r(double x) { return __verso_grad(F, x); }                 \
  static double F##_f(double x) { return __verso_jvp(F, verso_dup, x, 1.0); }  \
  static double F##_rr(double x) { return __verso_grad(F##_r, x); }            \
  static double F##_fr(double x) {                                             \
    return __verso_jvp(F##_r, verso_dup, x, 1.0);                              \
  }                                                                            \
  static double F##_rf(double x) { return __verso_grad(F##_f, x); }            \
  static double F##_ff(double x) {                                             \
    return __verso_jvp(F##_f, verso_dup, x, 1.0);                              \
  }                                                                            \
  static void check_##F(double x, double second, double third) {               \
    CHECK_CLOSE(F##_rr(x), second, 1e-12);                                     \
    CHECK_CLOSE(F##_fr(x), second, 1e-12);                                     \
    CHECK_CLOSE(F##_rf(x), second, 1e-12);                                     \
    CHECK_CLOSE(F##_ff(x), second, 1e-12);                                     \
    CHECK_CLOSE(__verso_jvp(F##_fr, verso_dup, x, 1.0), third, 1e-12);         \
    CHECK_CLOSE(__verso_jvp(F##_rf, verso_dup, x, 1.0), third, 1e-12);         \
    CHECK_CLOSE(__verso_jvp(F##_ff, verso_dup, x, 1.0), third, 1e-12);         \
    CHECK_CLOSE(__verso_jvp(F##_rr, verso_dup, x, 1.0), third, 1e-12);         \
    CHECK_CLOSE(__verso_grad(F##_fr, x), third, 1e-12);                        \
    CHECK_CLOSE(__verso_grad(F##_ff, x), third, 1e-12);                        \
  }
ORDERS(roots)
ORDERS(logs)
ORDERS(ratio)
ORDERS(power)
ORDERS(bend)
ORDERS(bump)
ORDERS(flat)
ORDERS(fit)

/// By both arguments, of which one makes a partial infinite.
static double product(double x, double y) { return y * sqrt(x); }
static double product_x(double x, double y) {
  return __verso_grad(product, x, verso_const, y);
}

/// In several directions at once, as compilers like to write them.
struct pair {
  double a, b;
};
struct pair __verso_jvp_pair(void *, ...);
static double two(double x, double y) { return sqrt(x * x + y * y + 1) / (1 + x); }
static double two_x(double x, double y) {
  return __verso_jvp_pair(two, verso_width, 2, verso_dup, x, 1.0, 0.0, verso_dup,
                          y, 0.0, 1.0)
      .b;
}

int main(void) {
  check_roots(1, 0.5, -0.75);
  check_logs(1, 2, -6);
  check_ratio(2, -1.5, 2.25);
  check_power(1, 4.5, 6.75);
  check_bend(0, 1, 0);
  check_bump(0, -2, 0);
  check_flat(0, 2, 6);
  // sum = 5 (l + s - 1)^2 / x + (log(x + 1) + s - 1)^2 / x, s = sqrt(x).
  double l = log(2.0);
  // Of q = log(x + 1) + s - 1 at 1: l, 1, -1/2, 5/8.
  double q0 = l, q1 = 1, q2 = -0.25 - 0.25, q3 = 0.25 + 0.375;
  double h0 = q0 * q0, h1 = 2 * q0 * q1, h2 = 2 * (q1 * q1 + q0 * q2),
         h3 = 2 * (3 * q1 * q2 + q0 * q3);
  // Of p = log(x) + s - 1 at 1: 0, 3/2, -5/4.
  double p1 = 1.5, p2 = -1.25, g2 = 2 * p1 * p1, g3 = 2 * 3 * p1 * p2;
  double second = 5 * g2 + h2 - 2 * h1 + 2 * h0;
  double third = 5 * (g3 - 3 * g2) + h3 - 3 * h2 + 6 * h1 - 6 * h0;
  check_fit(1, second, third);

  CHECK_EQUAL(product_x(0, 0), 0);
  CHECK_EQUAL(__verso_grad(product_x, 4.0, verso_const, 0.0), 0);
  CHECK_CLOSE(__verso_grad(product_x, verso_const, 4.0, 0.0), 0.25, 1e-15);
  CHECK_CLOSE(__verso_jvp(product_x, verso_const, 4.0, verso_dup, 0.0, 1.0),
              0.25, 1e-15);

  // two_x is d two / dy = y / (r (1 + x)); by y at 0: 1 / (r (1 + x)).
  double r = sqrt(1 + 4.0);
  CHECK_CLOSE(
      __verso_jvp(two_x, verso_dup, 2.0, 0.0, verso_dup, 0.0, 1.0),
      1 / (r * 3), 1e-14);
  CHECK_CLOSE(__verso_grad(two_x, verso_const, 2.0, 0.0), 1 / (r * 3), 1e-14);
  return check_status();
}
