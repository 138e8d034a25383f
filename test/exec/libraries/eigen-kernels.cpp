//===- eigen-kernels.cpp - what Eigen multiplies and solves by ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products, triangles, symmetric matrices and factors, in all orders, with
// sizes around those of blocks: values are Eigen's own, gradients are those of
// differences.
//
// REQUIRES: eigen
// FLAGS: -isystem /usr/include/eigen3
// HEAVY: Eigen
// LEVELS: O2g
// UNCHECKED: a check takes minutes
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <Eigen/Dense>

extern "C" double __verso_value_and_grad(void *, ...);

using namespace Eigen;
using Columns = MatrixXd;
using Rows = Matrix<double, Dynamic, Dynamic, RowMajor>;

/// Of one of the matrices; its first number is far from the others.
template <class T> static double weigh(const T &a) {
  double sum = 0;
  for (Index j = 0; j < a.cols(); ++j)
    for (Index i = 0; i < a.rows(); ++i)
      sum += (1 + 0.25 * ((3 * i + 5 * j) % 7)) * a(i, j);
  return sum + 0.125 * a(0, 0) * a(0, 0);
}

/// A is m x k, B is k x n, C is m x n; S has dominant diagonals.
struct Operands {
  Map<const Columns> a, b, s;
  Map<const Rows> a1, s1;
  Index m, n, k;
  Operands(const double *x, int m, int n, int k)
      : a(x, m, k), b(x + m * k, k, n), s(x + m * k + k * n, m, m),
        a1(x, m, k), s1(x + m * k + k * n, m, m), m(m), n(n), k(k) {}
};
static int countOf(int m, int n, int k) { return m * k + k * n + m * m; }

CHECK_NOINLINE static double general(const double *x, int m, int n, int k) {
  const Operands o(x, m, n, k);
  Columns c = o.b.transpose() * o.a.transpose();
  Rows r = o.a * o.b;
  r.noalias() -= 0.5 * o.a1 * o.b;
  return weigh(c) - weigh(r);
}
CHECK_NOINLINE static double vectors(const double *x, int m, int n, int k) {
  const Operands o(x, m, n, k);
  VectorXd y = o.a * o.b.col(0);
  y.noalias() += o.a1 * o.b.col(n - 1);
  RowVectorXd w = o.b.row(k - 1) * o.b.transpose();
  w.noalias() -= y.transpose() * o.a;
  VectorXd u = 2 * o.s.transpose() * o.s.row(0).transpose();
  return weigh(y) + weigh(w) + weigh(u);
}
CHECK_NOINLINE static double solves(const double *x, int m, int n, int k) {
  const Operands o(x, m, n, k);
  Columns c = o.a * o.b;
  Rows r = c, e = c.transpose();
  o.s.triangularView<Lower>().solveInPlace(c);
  o.s1.transpose().triangularView<UnitLower>().solveInPlace(r);
  o.s.triangularView<Upper>().solveInPlace<OnTheRight>(e);
  VectorXd v = o.a.col(0), w = o.a.col(k - 1);
  o.s.triangularView<Lower>().solveInPlace(v);
  o.s1.triangularView<UnitLower>().transpose().solveInPlace(w);
  return weigh(c) + weigh(r) + weigh(e) + weigh(v) + weigh(w);
}
CHECK_NOINLINE static double triangles(const double *x, int m, int n, int k) {
  const Operands o(x, m, n, k);
  Columns c = o.a.triangularView<Lower>() * o.b;
  c.noalias() += o.a1.triangularView<UnitUpper>() * o.b;
  Rows d = o.a.transpose() * o.s.triangularView<StrictlyUpper>();
  VectorXd v = o.a.triangularView<Lower>() * o.b.col(0);
  v += o.a1.triangularView<UnitUpper>() * o.b.col(n - 1);
  return weigh(c) + weigh(d) + weigh(v);
}
CHECK_NOINLINE static double symmetric(const double *x, int m, int n, int k) {
  const Operands o(x, m, n, k);
  Columns c = o.s.selfadjointView<Lower>() * o.a;
  Columns e = o.a.transpose() * o.s1.selfadjointView<Lower>();
  VectorXd v = o.s.selfadjointView<Upper>() * o.a.col(0);
  Columns t = o.s;
  t.selfadjointView<Lower>().rankUpdate(o.a, 0.5);
  t.triangularView<Upper>() += o.a1 * o.a1.transpose();
  return weigh(c) + weigh(e) + weigh(v) + weigh(t);
}
CHECK_NOINLINE static double factors(const double *x, int m, int n, int k) {
  const Operands o(x, m, n, k);
  Columns p = o.s * o.s.transpose();
  LLT<Columns> llt(p);
  Rows r = o.s;
  r.row(0).swap(r.row(m / 2));
  PartialPivLU<Rows> lu(r);
  Columns u = llt.solve(o.a) + lu.solve(o.a);
  double determinant = lu.determinant();
  return weigh(u) + determinant / (1 + fabs(determinant)) +
         (llt.info() == Success ? 0 : NAN);
}

using Function = double(const double *, int, int, int);
template <Function *F> static void check(int m, int n, int k) {
  const int count = countOf(m, n, k);
  VectorXd x(count), d = VectorXd::Zero(count);
  unsigned state = 7 * m + 3 * n + k;
  auto next = [&] {
    state = state * 1664525 + 1013904223;
    return (state >> 8) / double(1 << 24) - 0.5;
  };
  for (double &number : x)
    number = next() / (1 + k / 8.0);
  for (int i = 0; i < m; ++i)
    x[m * k + k * n + i * (m + 1)] += i % 3 ? 2 : -1.5;
  const double value = __verso_value_and_grad(
      (void *)F, verso_dup, x.data(), d.data(), verso_const, int{m},
      verso_const, int{n}, verso_const, int{k});
  CHECK_CLOSE(value, F(x.data(), m, n, k), 1e-11);
  for (int direction = 0; direction < 3; ++direction) {
    VectorXd v(count);
    for (double &number : v)
      number = next();
    // Richardson's extrapolation.
    auto difference = [&](double h) {
      VectorXd forward = x + h * v, back = x - h * v;
      return (F(forward.data(), m, n, k) - F(back.data(), m, n, k)) / (2 * h);
    };
    const double h = 1.0 / 1024;
    CHECK_CLOSE(d.dot(v), (4 * difference(h / 2) - difference(h)) / 3, 1e-6);
  }
}

static void checkAll(int m, int n, int k) {
  check<general>(m, n, k);
  check<vectors>(m, n, k);
  check<solves>(m, n, k);
  check<triangles>(m, n, k);
  check<symmetric>(m, n, k);
  check<factors>(m, n, k);
}

int main() {
  checkAll(1, 1, 1);
  checkAll(3, 2, 5);
  checkAll(9, 10, 8);
  checkAll(40, 35, 37);
  checkAll(33, 50, 20);
  return check_status();
}
