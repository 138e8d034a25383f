//===- stack-arrays.c - alloca and variable-length arrays -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays on the stack whose size is known at run time only, in loops and in
// recursion, where the same addresses serve again and again.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <alloca.h>

CHECK_NOINLINE static double prefix(const double *x, int n) {
  double sums[n];
  sums[0] = x[0];
  for (int i = 1; i < n; ++i)
    sums[i] = sums[i - 1] + x[i] * x[i];
  return sums[n - 1] * sums[n / 2];
}
CHECK_NOINLINE static double pairwise(const double *x, int n) {
  if (n == 1)
    return x[0] * x[0];
  double *left = alloca((size_t)n * sizeof *left);
  for (int i = 0; i < n; ++i)
    left[i] = x[i] * 1.5;
  return pairwise(left, n / 2) + pairwise(left + n / 2, n - n / 2);
}
CHECK_NOINLINE static double in_a_loop(const double *x, int n) {
  double sum = 0;
  for (int i = 1; i <= n; ++i) {
    double row[i];
    for (int k = 0; k < i; ++k)
      row[k] = k == 0 ? x[i - 1] : row[k - 1] * x[k];
    sum += row[i - 1];
  }
  return sum;
}
static double prefix_5(double *x) { return prefix(x, 5); }
static double pairwise_5(double *x) { return pairwise(x, 5); }
static double loop_5(double *x) { return in_a_loop(x, 5); }

int main(void) {
  double x[] = {1, 2, 0.5, -1, 3};
  double a[5] = {0}, b[5] = {0}, c[5] = {0};
  __verso_grad_void(prefix, verso_dup, x, a, 5);
  CHECK_GRADIENT(prefix_5, 5, x, a, 1e-8);
  __verso_grad_void(pairwise, verso_dup, x, b, 5);
  CHECK_GRADIENT(pairwise_5, 5, x, b, 1e-8);
  __verso_grad_void(in_a_loop, verso_dup, x, c, 5);
  CHECK_GRADIENT(loop_5, 5, x, c, 1e-8);
  return check_status();
}
