//===- long-tape.c - a tape of many megabytes -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ten million operations in one request, then a small one: the tape grows while
// emitted code writes it, in straight code, in a loop and in recursion.
//
// UNCHECKED: the rounding of ten million operations adds up to more than 1e-12
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double logistic(double x, double rate, long steps) {
  double sum = 0;
  for (long i = 0; i < steps; ++i) {
    x = rate * x * (1 - x);
    sum += x * 1e-6;
  }
  return sum;
}
CHECK_NOINLINE static double split(const double *x, long n) {
  if (n == 1)
    return x[0] * x[0];
  return split(x, n / 2) + split(x + n / 2, n - n / 2);
}

int main(void) {
  // With rate 1.5 the map contracts to 1/3, and the sum follows the fixed point
  // 1 - 1 / rate: steps * 1e-6 / rate^2, up to the transient.
  struct two {
    double x, rate;
  };
  extern struct two __verso_grad_two(void *, ...);
  struct two g = __verso_grad_two(logistic, 0.4, 1.5, 3000000L);
  CHECK_CLOSE(g.rate, 3 / 2.25, 1e-5);
  CHECK_CLOSE(g.x, 0, 1e-5);
  long n = 1000000;
  double *x = malloc((size_t)n * sizeof *x), *dx = calloc((size_t)n, sizeof *x);
  for (long i = 0; i < n; ++i)
    x[i] = (double)(i % 100);
  __verso_grad_void(split, verso_dup, x, dx, n);
  int wrong = 0;
  for (long i = 0; i < n; ++i)
    wrong += dx[i] != 2 * x[i];
  CHECK_EQUAL(wrong, 0);
  free(x);
  free(dx);
  return check_status();
}
