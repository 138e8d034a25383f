//===- arguments-of-loops.c - what a loop hands on to a request ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request in a loop, over buffers that change places and numbers that are
// chosen in inner loops: its operands are phis of phis, which go in circles.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double scaled(const double *x, double *y, double a,
                                    int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += y[i] = a * x[i] * x[i];
  return sum;
}

// x_i -> x_i^2 / 2 a few times; the last gradient is x itself, its sum returned.
CHECK_NOINLINE static double iterate(double *x, double *y, int n, int times,
                                     int turns) {
  double dx[3] = {0}, dy[3] = {0}, *p = x, *q = y, *dp = dx, *dq = dy;
  double a = 1;
  for (int k = 0; k < times; ++k) {
    for (int t = 0; t < turns; ++t) {
      if (t % 2)
        a = 0.5;
      double *swap = p, *dswap = dp;
      p = q, q = swap;
      dp = dq, dq = dswap;
    }
    memset(dp, 0, sizeof(dx));
    memset(dq, 0, sizeof(dx));
    __verso_grad(scaled, verso_dup, p, dp, verso_dup, q, dq, verso_const, a, n);
  }
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += dp[i];
  return sum;
}

int main(void) {
  double x[3] = {1, 2, 3}, y[3] = {0};
  // Each time the buffers change places twice: p is x.
  CHECK_CLOSE(iterate(x, y, 3, 4, 2), 6, 1e-15);
  // Three times: the second request squares what the first one wrote.
  double u[3] = {0}, v[3] = {1, 2, 3};
  CHECK_CLOSE(iterate(u, v, 3, 2, 3), 0.5 + 2 + 4.5, 1e-15);
  return check_status();
}
