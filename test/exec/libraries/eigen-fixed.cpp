//===- eigen-fixed.cpp - Eigen, fixed sizes -------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Small matrices on the stack, with Eigen's vectorised paths: products,
// inverse, determinant, quaternions, norms, maps of the argument.
//
// REQUIRES: eigen
// FLAGS: -isystem /usr/include/eigen3
// HEAVY: Eigen
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <Eigen/Dense>

CHECK_NOINLINE static double algebra(const double *x) {
  Eigen::Map<const Eigen::Matrix3d> a(x);
  Eigen::Map<const Eigen::Vector3d> b(x + 9);
  Eigen::Vector3d c = a.inverse() * b;
  Eigen::Matrix3d d = a * a.transpose() + Eigen::Matrix3d::Identity();
  return c.squaredNorm() + a.determinant() + d.trace() + (d * c).dot(b) +
         c.cross(b).norm();
}
CHECK_NOINLINE static double rotation(const double *x) {
  Eigen::Quaterniond q(x[0], x[1], x[2], x[3]);
  q.normalize();
  Eigen::Vector3d v(x[4], x[5], x[6]);
  Eigen::Vector4d w;
  w << q * v, x[7];
  Eigen::Matrix4d m = w * w.transpose();
  return (m.array().square() + m.array()).sum() + (q * v)(0) * x[7];
}
static double algebra_of(double *x) { return algebra(x); }
static double rotation_of(double *x) { return rotation(x); }

int main() {
  double x[] = {2, 1, 0, 0.5, 3, 1, -1, 0.25, 4, 1, 2, 3}, dx[12] = {};
  __verso_grad_void((void *)algebra, verso_dup, x, dx);
  CHECK_GRADIENT(algebra_of, 12, x, dx, 1e-7);
  double y[] = {1, 0.5, -0.25, 0.75, 1, 2, 3, 0.5}, dy[8] = {};
  __verso_grad_void((void *)rotation, verso_dup, y, dy);
  CHECK_GRADIENT(rotation_of, 8, y, dy, 1e-7);
  return check_status();
}
