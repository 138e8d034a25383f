//===- eigen-corners.cpp - Eigen's kernels where BLAS's would differ ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Columns that overlap, matrices with options, zero pivots that nothing is
// divided by, Cholesky factors of what has none, or has NaNs: values are
// Eigen's own.
//
// REQUIRES: eigen
// FLAGS: -isystem /usr/include/eigen3
// LEVELS: O1
// HEAVY: Eigen
// UNCHECKED: there are NaNs
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <Eigen/Dense>

extern "C" double __verso_value_and_grad(void *, ...);

using namespace Eigen;

enum { N = 17 };

/// Each column begins three numbers behind the one before.
CHECK_NOINLINE static double overlapping(const double *x) {
  Map<const MatrixXd, 0, OuterStride<>> hankel(x, N, N, OuterStride<>(3));
  Map<const Matrix<double, N, 2>> b(x);
  Matrix<double, N, 2> c = hankel.selfadjointView<Lower>() * b;
  c += hankel.triangularView<UnitLower>().solve(b);
  return c.squaredNorm();
}
using Packed = Matrix<double, Dynamic, Dynamic, DontAlign>;
CHECK_NOINLINE static double unaligned(const double *x) {
  Map<const Matrix<double, N, 1>> v(x);
  Packed a = v * v.transpose();
  a.diagonal().array() += 1;
  return MatrixXd(LLT<Packed>(a).matrixL()).sum();
}
/// Columns of 0 1, 1 2; the first number of b is 0.
CHECK_NOINLINE static double zeroPivot(const double *x) {
  Map<const Matrix2d> a(x);
  Vector2d b(x[4], x[5]);
  VectorXd c = MatrixXd(a).triangularView<Lower>().solve(b);
  return c[0] + 2 * c[1];
}
CHECK_NOINLINE static double factor(const double *x) {
  MatrixXd a = Map<const Matrix2d>(x);
  LLT<MatrixXd> llt(a);
  return llt.info() == Success ? llt.matrixLLT()(1, 0)
                               : 1000 * x[0] + llt.matrixLLT()(1, 1);
}

static double overlappingAt(double *x) { return overlapping(x); }
static double unalignedAt(double *x) { return unaligned(x); }

int main() {
  double x[4 * N], d[4 * N] = {};
  for (int i = 0; i < 4 * N; ++i)
    x[i] = 0.03 * (i * 7 % 19) - 0.2;
  CHECK_CLOSE(__verso_value_and_grad((void *)overlapping, verso_dup, x, d),
              overlapping(x), 1e-12);
  CHECK_GRADIENT(overlappingAt, 4 * N, x, d, 1e-6);
  double du[N] = {};
  CHECK_CLOSE(__verso_value_and_grad((void *)unaligned, verso_dup, x, du),
              unaligned(x), 1e-12);
  CHECK_GRADIENT(unalignedAt, N, x, du, 1e-6);

  double z[] = {0, 1, 1, 2, 0, 3}, dz[6] = {};
  CHECK_CLOSE(__verso_value_and_grad((void *)zeroPivot, verso_dup, z, dz), 3,
              0);
  CHECK_CLOSE(dz[3], -1.5, 1e-15);
  CHECK_CLOSE(dz[5], 1, 1e-15);

  double indefinite[] = {1, 2, 2, 1}, di[4] = {};
  CHECK_CLOSE(__verso_value_and_grad((void *)factor, verso_dup, indefinite, di),
              1001, 0);
  CHECK_CLOSE(di[0], 1000, 0);
  CHECK_CLOSE(di[3], 1, 0);
  double nan[] = {4, NAN, NAN, 3}, dn[4] = {};
  const double value =
      __verso_value_and_grad((void *)factor, verso_dup, nan, dn);
  CHECK_CLOSE(value != value, 1, 0);
  return check_status();
}
