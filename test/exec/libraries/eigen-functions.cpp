//===- eigen-functions.cpp - Eigen's functions of arrays, with SSE2 -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without -msse4.1 Eigen rounds by adding 2^52 behind empty assembly, and blends
// by masks: its exponential, and all that is made of it, had the derivative zero.
// At -O0 sums, masks and signs are functions that take vectors by reference.
//
// REQUIRES: eigen
// FLAGS: -isystem /usr/include/eigen3
// HEAVY: Eigen
// UNCHECKED: it asks for both modes, and a check takes minutes
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <Eigen/Dense>

enum { N = 5 }; // A vector more than pairs, and not one of four.
extern "C" double __verso_jvp_double(void *, ...);

template <class T> static double functions(const double *x) {
  using Numbers = Eigen::Array<T, Eigen::Dynamic, 1>;
  Numbers a = Eigen::Map<const Eigen::ArrayXd>(x, N).cast<T>();
  Numbers b = a.exp(), c = a.logistic();
  a += b * (a - a.floor()) + a.ceil() * c - a.round() - a.rint();
  c = a.tanh() + a.sin() * a.cos() + (T(0.1) * a.abs()).log1p() +
      (a * T(0.1)).expm1();
  return (b * c).sum() + (a > 1).select(a.square().log(), a.cube()).sum() +
         a.matrix().template lpNorm<Eigen::Infinity>() *
             a.matrix().stableNorm() +
         a.abs().sqrt().sum() + a.abs().rsqrt().sum() + (-a).maxCoeff();
}
CHECK_NOINLINE static double doubles(const double *x) {
  return functions<double>(x);
}
CHECK_NOINLINE static double floats(const double *x) {
  return functions<float>(x);
}
/// Sums of integers, as of the counts of a sparse matrix's columns: LLVM loads
/// their vectors in halves.
CHECK_NOINLINE static double counted(const double *x, const int *counts) {
  Eigen::Map<const Eigen::ArrayXi> n(counts, 9);
  return n.sum() * x[0] * x[1] + n.maxCoeff() * x[1];
}
static double inDoubles(double *x) { return doubles(x); }

int main() {
  double x[N] = {0.3, -1.45, 2.2, 0.85, -0.7}, d[N] = {}, e[N] = {};
  __verso_grad_void((void *)doubles, x, d);
  CHECK_GRADIENT(inDoubles, N, x, d, 1e-6);
  __verso_grad_void((void *)floats, x, e);
  for (int i = 0; i < N; ++i) {
    double seed[N] = {};
    seed[i] = 1;
    CHECK_CLOSE(__verso_jvp_double((void *)doubles, x, seed), d[i], 1e-11);
    CHECK_CLOSE(__verso_jvp_double((void *)floats, x, seed), e[i], 1e-4);
    CHECK_CLOSE(e[i], d[i], 1e-3);
  }
  int counts[9] = {3, 1, 4, 1, 5, 9, 2, 6, 5};
  double f[N] = {};
  __verso_grad_void((void *)counted, verso_dup, x, f, verso_const, counts);
  CHECK_CLOSE(f[0], 36 * x[1], 1e-14);
  CHECK_CLOSE(f[1], 36 * x[0] + 9, 1e-14);
  return check_status();
}
