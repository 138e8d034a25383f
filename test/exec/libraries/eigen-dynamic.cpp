//===- eigen-dynamic.cpp - Eigen, dynamic sizes ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocated matrices and vectors: products large enough for the blocked
// kernels, element-wise expressions, blocks, and solving by LU and Cholesky
// factorisations.
//
// REQUIRES: eigen
// FLAGS: -isystem /usr/include/eigen3
// HEAVY: Eigen
// UNCHECKED: forward/libraries.cpp compares the modes, and a check takes minutes
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <Eigen/Dense>

CHECK_NOINLINE static double products(const double *x, int n) {
  Eigen::Map<const Eigen::MatrixXd> a(x, n, n);
  Eigen::MatrixXd b = a * a;
  Eigen::VectorXd v = b.col(0) + a.transpose() * b.row(1).transpose();
  Eigen::MatrixXd c = b.topRows(n / 2).array() * a.topRows(n / 2).array();
  return v.squaredNorm() + c.sum() + b.diagonal().prod();
}
CHECK_NOINLINE static double solving(const double *x, int n) {
  Eigen::Map<const Eigen::MatrixXd> a(x, n, n);
  Eigen::Map<const Eigen::VectorXd> b(x + n * n, n);
  Eigen::VectorXd u = a.partialPivLu().solve(b);
  Eigen::MatrixXd s = a * a.transpose();
  Eigen::VectorXd w = s.llt().solve(b);
  return u.squaredNorm() + w.sum();
}
enum { N = 4, Big = 20 };
static double products_small(double *x) { return products(x, N); }
static double products_big(double *x) { return products(x, Big); }
static double solving_small(double *x) { return solving(x, N); }

int main() {
  double x[N * N + N], dx[N * N + N] = {}, ds[N * N + N] = {};
  for (int i = 0; i < N * N + N; ++i)
    x[i] = (i % 5 == 0 ? 4 : 0.25) + 0.125 * (i * 7 % 11) / 4;
  __verso_grad_void((void *)products, verso_dup, x, dx, verso_const, int{N});
  CHECK_GRADIENT(products_small, N * N, x, dx, 1e-7);
  __verso_grad_void((void *)solving, verso_dup, x, ds, verso_const, int{N});
  CHECK_GRADIENT(solving_small, N * N + N, x, ds, 1e-7);

  static double y[Big * Big], dy[Big * Big];
  for (int i = 0; i < Big * Big; ++i)
    y[i] = 0.125 * (i * 13 % 17) - 1 + (i % (Big + 1) == 0 ? 1 : 0);
  for (int i = 0; i < Big * Big; ++i)
    y[i] /= 4;
  __verso_grad_void((void *)products, verso_dup, y, dy, verso_const, int{Big});
  for (int i = 0; i < Big * Big; i += 37)
    CHECK_CLOSE(dy[i], partial_difference(products_big, Big * Big, y, i), 1e-7);
  return check_status();
}
