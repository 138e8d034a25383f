//===- exponentials-that-overflow.c - infinities that are divided by ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sigmoids and their like as they are written down: where an exponential
// overflows, and is divided by or is the exponent of another, the function is
// constant as it is computed, and its derivative is zero, not infinity times
// zero, in every mode, one number at a time and in arrays, and so is the second
// one. Where nothing makes zero of the infinity, the derivative is infinite.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);

CHECK_NOINLINE static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
CHECK_NOINLINE static double tangent(double x) {
  return 1 - 2 / (exp(2 * x) + 1);
}
CHECK_NOINLINE static double swish(double x) { return x / (1 + exp(-x)); }
CHECK_NOINLINE static double secant(double x) { return 1 / cosh(x); }
CHECK_NOINLINE static double hill(double x) {
  return 1 / (1 + pow(x * x / 2, 200));
}
CHECK_NOINLINE static double squared(double x) {
  double e = 1 + exp(-x);
  return 3 / (e * e);
}
CHECK_NOINLINE static double scaled(double x) {
  return 1 / sqrt(1 + exp(-x) * (x * x + 1));
}
CHECK_NOINLINE static double gumbel(double x) { return exp(-exp(-x)); }
CHECK_NOINLINE static double chosen(double x) {
  double e = x < 0 ? exp(-2 * x) : x;
  return 1 / (2 + e);
}
CHECK_NOINLINE static double narrow(double x) {
  return 1 / (1 + expf((float)-x));
}
CHECK_NOINLINE static double summed(double x) {
  double sum = 1;
  for (int i = 1; i < 4; ++i)
    sum += exp(-i * x);
  return 1 / sum;
}

typedef double function(double);

#define OF_ARRAY(NAME)                                                         \
  CHECK_NOINLINE static double NAME##_of(const double *x, int n) {             \
    double sum = 0;                                                            \
    for (int i = 0; i < n; ++i)                                                \
      sum += (i + 1) * NAME(x[i]);                                             \
    return sum;                                                                \
  }                                                                            \
  CHECK_NOINLINE static void NAME##_all(double *x, int n) {                    \
    for (int i = 0; i < n; ++i)                                                \
      x[i] = NAME(x[i]);                                                       \
  }                                                                            \
  static double NAME##_slope(double x) { return __verso_grad((void *)NAME, x); }

#define FUNCTIONS(OF)                                                          \
  OF(sigmoid)                                                                  \
  OF(tangent)                                                                  \
  OF(secant)                                                                   \
  OF(hill)                                                                     \
  OF(squared)                                                                  \
  OF(gumbel)                                                                   \
  OF(summed)
FUNCTIONS(OF_ARRAY)

/// Limits on both sides: zero, but of swish, which is x on one of them, and of
/// what is chosen.
static double limit(function *f, double x) {
  if (f == swish)
    return x > 0;
  return f == chosen && x > 0 ? -1 / ((2 + x) * (2 + x)) : 0;
}

CHECK_NOINLINE static double growing(double x) { return 1e-300 * exp(x); }

int main() {
  for (double x = -1000; x <= 1000; x += 2000) {
#define CHECK_VALUE(NAME)                                                      \
  CHECK_CLOSE(__verso_grad((void *)NAME, x), limit(NAME, x), 1e-12);           \
  CHECK_CLOSE(__verso_jvp((void *)NAME, &verso_dup, x, 1.0), limit(NAME, x),   \
              1e-12);
    CHECK_VALUE(sigmoid)
    CHECK_VALUE(tangent)
    CHECK_VALUE(swish)
    CHECK_VALUE(secant)
    CHECK_VALUE(hill)
    CHECK_VALUE(squared)
    CHECK_VALUE(scaled)
    CHECK_VALUE(gumbel)
    CHECK_VALUE(chosen)
    CHECK_VALUE(narrow)
    CHECK_VALUE(summed)
#define CHECK_ARRAY(NAME)                                                      \
  {                                                                            \
    double v[2] = {x, 0.5}, dv[2] = {0, 0}, t[2] = {1, 1};                     \
    double slope = __verso_grad((void *)NAME, 0.5);                            \
    __verso_grad((void *)NAME##_of, &verso_dup, v, dv, &verso_const, 2);       \
    CHECK_CLOSE(dv[0], 0, 1e-12);                                              \
    CHECK_CLOSE(dv[1], 2 * slope, 1e-12);                                      \
    CHECK_CLOSE(                                                               \
        __verso_jvp((void *)NAME##_of, &verso_dup, v, t, &verso_const, 2),     \
        2 * slope, 1e-12);                                                     \
    double w[2] = {x, 0.5}, dw[2] = {1, 1};                                    \
    __verso_vjp_void((void *)NAME##_all, &verso_dup, w, dw, &verso_const, 2);  \
    CHECK_CLOSE(dw[0], 0, 1e-12);                                              \
    CHECK_CLOSE(dw[1], slope, 1e-12);                                          \
    CHECK_CLOSE(__verso_jvp((void *)NAME##_slope, &verso_dup, x, 1.0), 0,      \
                1e-12);                                                        \
  }
    FUNCTIONS(CHECK_ARRAY)
  }
  // Where nothing overflows all is as it was.
#define CHECK_DIFFERENCE(NAME)                                                 \
  for (double x = -2; x <= 2; x += 0.8) {                                      \
    const double h = 1e-4;                                                     \
    double near = NAME(x + h) - NAME(x - h);                                   \
    double far = NAME(x + 2 * h) - NAME(x - 2 * h);                            \
    double slope = __verso_grad((void *)NAME, x);                              \
    CHECK_CLOSE(slope, (8 * near - far) / (12 * h), 1e-7);                     \
    CHECK_CLOSE(__verso_jvp((void *)NAME, &verso_dup, x, 1.0), slope, 1e-12);  \
  }
  CHECK_DIFFERENCE(sigmoid)
  CHECK_DIFFERENCE(tangent)
  CHECK_DIFFERENCE(swish)
  CHECK_DIFFERENCE(secant)
  CHECK_DIFFERENCE(squared)
  CHECK_DIFFERENCE(scaled)
  CHECK_DIFFERENCE(gumbel)
  CHECK_DIFFERENCE(summed)
  CHECK_CLOSE(__verso_grad((void *)growing, 1000.0), INFINITY, 0);
  return check_status();
}
