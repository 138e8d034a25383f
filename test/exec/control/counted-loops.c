//===- counted-loops.c - loops with a known number of trips ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Single and nested loops, strided, downwards, with bounds that depend on the
// outer loop, and with no trip at all.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double polynomial(const double *c, double x, int n) {
  double p = 0;
  for (int i = n - 1; i >= 0; --i)
    p = p * x + c[i];
  return p;
}
CHECK_NOINLINE static double triangle(const double *a, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; j += 2)
      sum += a[i] * a[j];
  return sum;
}
static double triangle_of_6(double *a) { return triangle(a, 6); }

int main(void) {
  double c[] = {1, 2, 3, 4}, dc[4] = {0};
  double dx = __verso_grad(polynomial, verso_dup, c, dc, 2.0, 4);
  CHECK_EQUAL(dx, 2 + 2 * 3 * 2 + 3 * 4 * 4);
  for (int i = 0; i < 4; ++i)
    CHECK_EQUAL(dc[i], 1 << i);
  double dnone[4] = {0};
  CHECK_EQUAL(__verso_grad(polynomial, verso_dup, c, dnone, 2.0, 0), 0);
  CHECK_EQUAL(dnone[0], 0);

  double a[] = {1, -2, 3, 0.5, 7, 1.5}, da[6] = {0};
  __verso_grad_void(triangle, verso_dup, a, da, 6);
  CHECK_GRADIENT(triangle_of_6, 6, a, da, 1e-9);
  return check_status();
}
