//===- two-results.c - arguments of functions with two results ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What goes into a function with two results (modf, frexp, remquo, complex
// functions and quotients) beside products that a loop hands on, beside a
// choice of something long, in recursion that stays recursion, and where only
// what the last iteration gives goes out of a loop. Its adjoint comes from those
// who take the two apart.
//
// STRATEGY: structured
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "../check.h"

#include <complex.h>

enum { N = 6 };

CHECK_NOINLINE static double beside_product(double *x) {
  double product = 1, sum = 0;
  for (int i = 0; i < N - 1; i++) {
    double whole;
    sum += modf(x[0] * x[1 + i], &whole);
    product = product * x[2] * x[3];
  }
  return sum + product;
}

CHECK_NOINLINE static double carried(double *x) {
  double a = 1, b = 1;
  for (int i = 0; i < N; i++) {
    int exponent;
    a = frexp(a * x[0] + x[i], &exponent);
    b = b * a * x[1];
  }
  return b;
}

CHECK_NOINLINE static double quotients(double *x) {
  double complex p = 1 + 0.5 * I;
  for (int i = 0; i < N; i++)
    p = p * (x[1] + x[i] * I) / (x[0] - 0.3 * I + x[i]);
  return creal(p) + 2 * cimag(p);
}

CHECK_NOINLINE static double phases(double *x) {
  double weight = 1;
  double complex sum = 0;
  for (int i = 0; i < N; i++) {
    sum += weight * cexp(I * x[i] * x[0]) + csqrt(sum * x[1] + x[i]);
    weight = weight * x[2] * x[3];
  }
  return cabs(sum);
}

CHECK_NOINLINE static double beside_choice(double *x) {
  double whole, long_one = x[2], s = modf(x[0] * x[1], &whole);
  long_one = sin(long_one) * x[3] + 0.3;
  long_one = sin(long_one) * x[4] + 0.2;
  long_one = sin(long_one) * x[3] + 0.1;
  long_one = sin(long_one) * x[5] + 0.2;
  long_one = sin(long_one) * x[3] + 0.3;
  long_one = sin(long_one) * x[4] + 0.2;
  long_one = sin(long_one) * x[3] + 0.1;
  long_one = sin(long_one) * x[5] + 0.2;
  return fmax(long_one, x[0] < 0 ? 2 : -2) + s * s;
}

CHECK_NOINLINE static double down(const double *x, int from, int to,
                                  double weight) {
  if (to - from == 1)
    return x[from] * weight;
  int middle = (from + to) / 2;
  double whole, rest = modf(weight * x[middle] + 0.3, &whole);
  double left = down(x, from, middle, rest * x[from]);
  double right = down(x, middle, to, weight * 0.5);
  int quotient;
  return left * right + remquo(left + right, 3, &quotient) * rest;
}
CHECK_NOINLINE static double recursive(double *x) { return down(x, 0, N, 0.9); }

/// What the last iteration leaves goes out of the loop, whether any is run.
CHECK_NOINLINE static double left(const double *x, int n) {
  double a = 0.3, b = x[0], c = 1, d = 0;
  int exponent, quotient, sign;
  for (int i = 0; i < n; i++) {
    a = frexp(x[i] * 3, &exponent);
    b = remquo(x[i] * 3, 0.7, &quotient);
    c = lgamma_r(x[i] * 3, &sign) * 2;
    d = modf(x[i] * 3, &(double){0});
  }
  return a * a + b + c * d;
}
CHECK_NOINLINE static double left_after_some(double *x) {
  return left(x, 3) + 2 * left(x, N) + left(x, 0);
}

#define CHECK_FUNCTION(F)                                                      \
  do {                                                                         \
    double d[N] = {0};                                                         \
    __verso_grad_void((void *)F, verso_dup, x, d);                             \
    CHECK_GRADIENT(F, N, x, d, 1e-7);                                          \
  } while (0)

int main(void) {
  double x[N] = {0.71, 0.53, 0.92, 0.83, 0.64, 0.77};
  CHECK_FUNCTION(beside_product);
  CHECK_FUNCTION(carried);
  CHECK_FUNCTION(quotients);
  CHECK_FUNCTION(phases);
  CHECK_FUNCTION(beside_choice);
  CHECK_FUNCTION(recursive);
  CHECK_FUNCTION(left_after_some);
  x[0] = -0.71;
  CHECK_FUNCTION(beside_choice);
  return check_status();
}
