//===- unary-functions.c - the math library, one argument -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every function of one argument, in its three precisions, against differences
// of its double form, at points inside its domain. A function is one line.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "../check.h"

long double __verso_grad_long(void *, ...);

#define FUNCTIONS(F)                                                           \
  F(sin, -2, 0.3, 4)                                                           \
  F(cos, -2, 0.3, 4)                                                           \
  F(tan, -1, 0.3, 1.2)                                                         \
  F(asin, -0.9, 0.3, 0.5)                                                      \
  F(acos, -0.9, 0.3, 0.5)                                                      \
  F(atan, -3, 0.3, 2)                                                          \
  F(sinh, -2, 0.3, 1.5)                                                        \
  F(cosh, -2, 0.3, 1.5)                                                        \
  F(tanh, -2, 0.3, 1.5)                                                        \
  F(asinh, -3, 0.3, 2)                                                         \
  F(acosh, 1.2, 2, 5)                                                          \
  F(atanh, -0.8, 0.3, 0.6)                                                     \
  F(exp, -2, 0.3, 3)                                                           \
  F(exp2, -2, 0.3, 3)                                                          \
  F(exp10, -1, 0.3, 1)                                                         \
  F(expm1, -2, 0.01, 3)                                                        \
  F(log, 0.3, 1, 9)                                                            \
  F(log2, 0.3, 1, 9)                                                           \
  F(log10, 0.3, 1, 9)                                                          \
  F(log1p, -0.5, 0.01, 4)                                                      \
  F(sqrt, 0.3, 1, 9)                                                           \
  F(cbrt, -8, 0.3, 27)                                                         \
  F(fabs, -2, 0.3, 4)                                                          \
  F(erf, -1.5, 0.3, 1)                                                         \
  F(erfc, -1.5, 0.3, 1)                                                        \
  F(tgamma, -1.5, 0.7, 3.2)                                                    \
  F(lgamma, -1.5, 0.7, 6.2)                                                    \
  F(j0, 0.5, 2, 7)                                                             \
  F(j1, 0.5, 2, 7)                                                             \
  F(y0, 0.5, 2, 7)                                                             \
  F(y1, 0.5, 2, 7)                                                             \
  F(floor, -1.5, 0.3, 2.7)                                                     \
  F(ceil, -1.5, 0.3, 2.7)                                                      \
  F(trunc, -1.5, 0.3, 2.7)                                                     \
  F(round, -1.4, 0.3, 2.7)                                                     \
  F(roundeven, -1.4, 0.3, 2.7)                                                 \
  F(rint, -1.4, 0.3, 2.7)                                                      \
  F(nearbyint, -1.4, 0.3, 2.7)                                                 \
  F(logb, -1.4, 0.3, 2.7)

#define DEFINE(name, ...)                                                      \
  static double name##_double(double x) { return name(x) * x; }                \
  static float name##_float(float x) { return name##f(x) * x; }                \
  static long double name##_long(long double x) { return name##l(x) * x; }
FUNCTIONS(DEFINE)

/// The name before a failure that the macros report at one line.
static void report(const char *name, int before) {
  if (check_failures != before)
    fprintf(stderr, "  in the lines above: %s\n", name);
}

#define TEST(name, ...)                                                        \
  {                                                                            \
    const double points[] = {__VA_ARGS__};                                     \
    int before = check_failures;                                               \
    for (int i = 0; i < 3; ++i) {                                              \
      double x = points[i], slope = central_difference(name##_double, x);      \
      CHECK_CLOSE(__verso_grad(name##_double, x), slope, 1e-8);                \
      CHECK_CLOSE(__verso_grad_float(name##_float, (float)x), slope, 1e-4);    \
      CHECK_CLOSE(__verso_grad_long(name##_long, (long double)x), slope,       \
                  1e-8);                                                       \
    }                                                                          \
    report(#name, before);                                                     \
  }

int main(void) {
  FUNCTIONS(TEST)
  return check_status();
}
