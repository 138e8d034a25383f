//===- eigen.cpp - gradients of Eigen's matrices --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices, vectors and arrays of fixed and of dynamic size, expressions as
// arguments, parameters of type Eigen::Ref, members of structs, pullbacks, and
// Jacobians that are Eigen matrices. The header includes nothing of Eigen.
//
// REQUIRES: eigen
// FLAGS: -isystem /usr/include/eigen3
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.hpp"
#include <Eigen/Dense>

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

static double quadratic(const MatrixXd &a, const VectorXd &x) {
  return x.dot(a * x);
}
static double squares(const Eigen::Ref<const VectorXd> &x) {
  return x.squaredNorm();
}
static double whole(const Eigen::ArrayXXf &x) { return (x * x * x).sum(); }
struct Body {
  Vector3d position, velocity;
  double mass;
};
static double energy(const Body &b) {
  return 0.5 * b.mass * b.velocity.squaredNorm() + 9 * b.position.z();
}
static VectorXd product(const MatrixXd &a, const VectorXd &x) { return a * x; }
static Eigen::Vector2d fixed_product(const Vector3d &x) {
  return {x[0] * x[1], x[2] * x[2]};
}

int main() {
  MatrixXd a(3, 3);
  a << 1, 2, 3, 4, 5, 6, 7, 8, 10;
  VectorXd x(3);
  x << 1, -2, 3;
  auto [da, dx] = verso::grad(quadratic)(a, x);
  CHECK(da.rows() == 3 && da.cols() == 3 && dx.size() == 3);
  CHECK_CLOSE((da - x * x.transpose()).norm(), 0, 1e-14);
  CHECK_CLOSE((dx - (a + a.transpose()) * x).norm(), 0, 1e-13);

  VectorXd dr = verso::grad(squares)(x);
  CHECK_CLOSE((dr - 2 * x).norm(), 0, 0);
  CHECK_CLOSE((verso::grad(squares)(2 * x) - 4 * x).norm(), 0, 0);
  CHECK_CLOSE((verso::grad(squares)(a.col(1)) - 2 * a.col(1)).norm(), 0, 0);
  auto generic = [](const auto &v) { return v.squaredNorm(); };
  CHECK_CLOSE((verso::grad(generic)(x + x) - 4 * x).norm(), 0, 0);

  Eigen::ArrayXXf array(2, 3);
  array << 1, 2, 3, 4, 5, 6;
  Eigen::ArrayXXf darray = verso::grad(whole)(array);
  CHECK(darray(1, 2) == 108 && darray.rows() == 2);

  Body b{{1, 2, 3}, {4, 5, 6}, 2};
  Body db = verso::grad(energy)(b);
  CHECK(db.velocity == 2 * b.velocity && db.position == Vector3d(0, 0, 9));
  CHECK_EQUAL(db.mass, 38.5);

  auto [y, pullback] = verso::vjp(product, a, x);
  CHECK(y == a * x);
  VectorXd w(3);
  w << 1, 10, 100;
  auto [pa, px] = pullback(w);
  CHECK_CLOSE((pa - w * x.transpose()).norm(), 0, 0);
  CHECK_CLOSE((px - a.transpose() * w).norm(), 0, 1e-13);

  MatrixXd j = verso::jacrev(product)(verso::constant(a), x);
  CHECK(j == a);
  Eigen::Matrix<double, 2, 3> k =
      verso::jacrev(fixed_product)(Vector3d(2, 3, 4));
  CHECK(k(0, 0) == 3 && k(0, 1) == 2 && k(1, 2) == 8 && k(1, 0) == 0);
  Eigen::RowVector3d row = verso::jacobian(
      [](const Vector3d &v) { return v.prod(); })(Vector3d(2, 3, 4));
  CHECK(row == Eigen::RowVector3d(12, 8, 6));
  return check_status();
}
