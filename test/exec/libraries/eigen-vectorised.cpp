//===- eigen-vectorised.cpp - Eigen's kernels for vectors of AVX ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With AVX and FMA, Eigen writes x86's intrinsics (addsub, hadd) and, for
// multiplications with addition and for maxima, single instructions as inline
// assembly; doubles are broadcast as pairs of integers.
//
// REQUIRES: eigen
// REQUIRES: avx2
// FLAGS: -isystem /usr/include/eigen3 -mavx2 -mfma
// HEAVY: Eigen
// UNCHECKED: forward/libraries.cpp compares the modes, and a check takes minutes
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <Eigen/Dense>
#include <complex>

CHECK_NOINLINE static double arrays(const double *x, int n) {
  Eigen::Map<const Eigen::ArrayXd> a(x, n), b(x + n, n);
  Eigen::ArrayXd c = (a * b).max(a + 0.25).min(2 * b) + a.exp() * b.sqrt();
  return c.sum() + c.maxCoeff() * b.minCoeff() + (a > b).select(c, a).prod();
}
CHECK_NOINLINE static double fixed(const double *x) {
  Eigen::Map<const Eigen::Matrix4d> a(x);
  Eigen::Matrix4d b = a * a.transpose();
  Eigen::Vector4d v = b * a.col(1) + b.inverse() * a.row(2).transpose();
  Eigen::Vector4cd z(std::complex<double>(x[0], x[1]), {x[2], x[3]},
                     {x[4], x[5]}, {x[6], x[7]});
  z = z.cwiseProduct(z.conjugate() + z);
  return v.squaredNorm() + b.determinant() + z.real().sum() * z.imag().sum();
}
CHECK_NOINLINE static double products(const double *x, int n) {
  Eigen::Map<const Eigen::MatrixXd> a(x, n, n);
  Eigen::MatrixXd b = a * a;
  return (b.transpose() * b.col(0)).squaredNorm() + b.trace();
}
enum { Small = 11, Side = 9 };
static double ofArrays(double *x) { return arrays(x, Small); }
static double ofFixed(double *x) { return fixed(x); }
static double ofProducts(double *x) { return products(x, Side); }

int main() {
  alignas(64) double x[Side * Side], d[Side * Side] = {}, e[16] = {},
                                              f[2 * Small] = {};
  for (int i = 0; i < Side * Side; ++i)
    x[i] = 0.5 + 0.03125 * (i * 11 % 29) + (i % 5 == 0 ? 0.75 : 0);
  __verso_grad_void((void *)arrays, verso_dup, x, f, verso_const, int{Small});
  CHECK_GRADIENT(ofArrays, 2 * Small, x, f, 1e-6);
  __verso_grad_void((void *)fixed, verso_dup, x, e);
  CHECK_GRADIENT(ofFixed, 16, x, e, 1e-5);
  __verso_grad_void((void *)products, verso_dup, x, d, verso_const, int{Side});
  CHECK_GRADIENT(ofProducts, Side * Side, x, d, 1e-6);
  return check_status();
}
