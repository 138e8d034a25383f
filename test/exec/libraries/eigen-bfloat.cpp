//===- eigen-bfloat.cpp - Eigen::bfloat16, which is bfloat by hand ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Eigen's own bfloat is a struct of a uint16_t; each operation widens, computes
// as float and rounds, with NaNs of either sign kept apart.
//
// UNCHECKED: adjoints are rounded to the cells' few bits
// HEAVY: Eigen
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <eigen3/Eigen/Core>

using Numbers = Eigen::Matrix<Eigen::bfloat16, Eigen::Dynamic, 1>;

CHECK_NOINLINE static float reversed_product(const float *x, int n) {
  Numbers a(n), b(n);
  for (int i = 0; i < n; ++i) {
    a[i] = Eigen::bfloat16(x[i]);
    b[i] = Eigen::bfloat16(x[i] * 2);
  }
  Eigen::bfloat16 sum(0);
  for (int i = 0; i < n; ++i)
    sum += a[i] * b[n - 1 - i];
  return static_cast<float>(sum);
}

int main() {
  enum { N = 4 };
  float x[N] = {1, -2, 3, 4}, dx[N] = {};
  __verso_grad((void *)reversed_product, verso_dup, x, dx, verso_const, N);
  for (int i = 0; i < N; ++i)
    CHECK_EQUAL(dx[i], 4 * x[N - 1 - i]);
  return check_status();
}
