//===- while-loops.c - loops that end on a computed condition -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Newton iteration to convergence, a loop that runs at least once, and a loop
// with `break` and `continue` on active values.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double newton_sqrt(double a) {
  double x = a;
  while (fabs(x * x - a) > 1e-14 * a)
    x = 0.5 * (x + a / x);
  return x;
}
CHECK_NOINLINE static double doubling(double x) {
  do
    x *= 2;
  while (x < 100);
  return x;
}
CHECK_NOINLINE static double filtered(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0)
      continue;
    if (sum > 50)
      break;
    sum += x[i] * x[i];
  }
  return sum;
}

int main(void) {
  CHECK_CLOSE(__verso_grad(newton_sqrt, 2.0), 0.5 / sqrt(2.0), 1e-12);
  CHECK_CLOSE(__verso_grad(newton_sqrt, 81.0), 0.5 / 9, 1e-12);
  CHECK_EQUAL(__verso_grad(doubling, 3.0), 64);
  CHECK_EQUAL(__verso_grad(doubling, 300.0), 2);
  double x[] = {1, -2, 3, -4, 5, 6, 7}, dx[7] = {0};
  __verso_grad_void(filtered, verso_dup, x, dx, 7);
  const double expected[] = {2, 0, 6, 0, 10, 12, 0};
  for (int i = 0; i < 7; ++i)
    CHECK_EQUAL(dx[i], expected[i]);
  return check_status();
}
