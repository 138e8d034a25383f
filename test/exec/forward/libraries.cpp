//===- libraries.cpp - Eigen, odeint and std::complex -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dot-product test through Eigen's fixed and dynamic matrices with
// decompositions, Boost.odeint's adaptive steppers and complex arithmetic.
// Two levels only: Eigen takes its time to compile.
// LEVELS: O0 O2g
// REQUIRES: eigen
// FLAGS: -isystem /usr/include/eigen3
// HEAVY: Eigen and Boost
// UNCHECKED: it compares with forward mode itself, and a check takes minutes
//
//===----------------------------------------------------------------------===//

#include "forward.h"
#include <Eigen/Dense>
#include <boost/numeric/odeint.hpp>
#include <complex>

CHECK_NOINLINE static void fixed(double *x, double *y) {
  Eigen::Matrix3d a;
  a << x[0], x[1], x[2], x[1], x[3] + 4, x[4], x[2], x[4], x[5] + 5;
  Eigen::Vector3d b(x[0], x[3], 1);
  Eigen::Map<Eigen::Vector3d> out(y);
  out = a.inverse() * b + a.col(1).cross(b);
  out[0] += a.determinant() + (a * a.transpose()).trace();
}
CHECK_NOINLINE static void dynamic(double *x, double *y) {
  const int n = 6;
  Eigen::MatrixXd a(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      a(i, j) = std::sin(x[(i + j) % 6] * (i + 1)) + (i == j ? 4 : 0);
  Eigen::VectorXd b = Eigen::Map<Eigen::VectorXd>(x, n);
  Eigen::VectorXd s = a.partialPivLu().solve(b);
  Eigen::VectorXd q =
      (a * a.transpose() + Eigen::MatrixXd::Identity(n, n)).llt().solve(b);
  y[0] = s.squaredNorm();
  y[1] = q.dot(a * s);
  y[2] = (a.topLeftCorner(3, 3) * a.bottomRightCorner(3, 3)).sum() + s.norm();
}
CHECK_NOINLINE static void qr(double *x, double *y) {
  Eigen::MatrixXd a(6, 2);
  for (int i = 0; i < 6; ++i)
    a.row(i) << x[i], x[i] * x[i] + i;
  Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(6, 0, 1);
  Eigen::VectorXd c = a.householderQr().solve(b);
  y[0] = c[0];
  y[1] = c[1];
  y[2] = (a * c - b).norm();
}
using State = std::vector<double>;
CHECK_NOINLINE static void ode(double *x, double *y) {
  namespace odeint = boost::numeric::odeint;
  State z{x[4], x[5]};
  auto rhs = [x](const State &z, State &dz, double) {
    dz[0] = (x[0] - x[1] * z[1]) * z[0];
    dz[1] = (-x[2] + x[3] * z[0]) * z[1];
  };
  odeint::integrate_const(odeint::runge_kutta4<State>(), rhs, z, 0.0, 1.0,
                          0.05);
  y[0] = z[0];
  y[1] = z[1];
  State w{x[4], x[5]};
  auto stepper =
      odeint::make_controlled<odeint::runge_kutta_dopri5<State>>(1e-8, 1e-8);
  odeint::integrate_adaptive(stepper, rhs, w, 0.0, 1.0, 0.05);
  y[2] = w[0] * w[1];
}
CHECK_NOINLINE static void complexes(double *x, double *y) {
  std::complex<double> a(x[0], x[1]), b(x[2], x[3]), c(x[4], x[5]);
  auto d = a * b + std::exp(c) / a + std::sqrt(b) - std::pow(c, 2);
  auto e = std::polar(std::abs(d), std::arg(a)) * std::conj(c);
  y[0] = d.real();
  y[1] = d.imag() * std::norm(e);
  y[2] = e.real() + std::log(e).imag();
}

int main() {
  double x[] = {0.7, 1.3, 0.4, 1.2, -0.6, 0.9};
  CHECK_TRANSPOSE(fixed, 6, 3, x);
  CHECK_TRANSPOSE(dynamic, 6, 3, x);
  CHECK_TRANSPOSE(qr, 6, 3, x);
  double p[] = {0.55, 0.28, 0.8, 0.24, 3.9, 1.9};
  CHECK_TRANSPOSE(ode, 6, 3, p);
  CHECK_TRANSPOSE(complexes, 6, 3, x);
  return check_status();
}
