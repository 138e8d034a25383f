//===- sparse-eigen.cpp - sparse derivatives as Eigen's matrices ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of functions of Eigen's vectors; by columns and by rows, as they are asked
// for.
//
// REQUIRES: eigen
// FLAGS: -isystem /usr/include/eigen3
// LEVELS: O1 O2g
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "sparse-functions.h"
#include <Eigen/Dense>
#include <Eigen/Sparse>

using Eigen::VectorXd;

static VectorXd squares(const VectorXd &x) {
  VectorXd y(x.size() - 1);
  for (Eigen::Index i = 0; i != y.size(); ++i)
    y[i] = x[i] * x[i] * x[i + 1];
  return y;
}

int main() {
  VectorXd x(4);
  x << 1, 2, 3, 4;
  Eigen::MatrixXd dense = verso::jacrev(squares)(x);
  auto s = verso::sparse_jacobian(squares, x);
  Eigen::SparseMatrix<double> byColumns = s;
  Eigen::SparseMatrix<double, Eigen::RowMajor> byRows = s;
  CHECK(byColumns.isCompressed() && byColumns.nonZeros() == 6);
  CHECK(Eigen::MatrixXd(byColumns) == dense);
  CHECK(Eigen::MatrixXd(byRows) == dense);

  Eigen::SparseMatrix<double> h =
      verso::sparse_hessian(verso::fn<chain>, point(6));
  CHECK(h.rows() == 6 &&
        h.isApprox(Eigen::SparseMatrix<double>(h.transpose())));
  return check_status();
}
