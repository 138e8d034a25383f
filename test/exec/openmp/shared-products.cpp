//===- shared-products.cpp - products and sums that threads share ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FLAGS: -fopenmp
// REQUIRES: openmp
// STRATEGY: structured
// LEVELS: O1 O2g O3
//
// Variables of a region that become registers as late as when the region is
// one function with the rest: what they hold is used behind the loop.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <verso/verso.h>

#include <vector>

static double shared(const std::vector<double> &x,
                     const std::vector<double> &p) {
  double product = 1, sum = 0;
  const long n = x.size();
#pragma omp parallel for reduction(* : product) reduction(- : sum)
  for (long i = 0; i < n; ++i) {
    product *= 1 + 0.1 * x[i];
    sum -= x[i] * p[0];
  }
  return product * sum;
}

int main() {
  std::vector<double> x(8), dx(8), p{1.5}, dp(1);
  double product = 1, sum = 0;
  for (int i = 0; i < 8; ++i) {
    x[i] = 0.3 * i + 0.2;
    product *= 1 + 0.1 * x[i];
    sum += x[i];
  }
  __verso_grad((void *)shared, verso_dup, &x, &dx, verso_dup, &p, &dp);
  for (int i = 0; i < 8; ++i)
    CHECK_CLOSE(dx[i],
                -product * p[0] - 0.1 * product / (1 + 0.1 * x[i]) * sum * p[0],
                1e-13);
  CHECK_CLOSE(dp[0], -product * sum, 1e-13);
  return check_status();
}
