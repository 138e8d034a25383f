//===- Dot.h - dot product --------------------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The paper's second function: the sum of x_i * y_i.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_DOT_H
#define VERSO_BENCHMARKS_KERNELS_DOT_H

#include "../Harness.h"

template <typename Real>
Real dotProduct(const Real *X, const Real *Y, size_t N) {
  Real Sum = 0.0;
  for (size_t I = 0; I != N; ++I)
    Sum += X[I] * Y[I];
  return Sum;
}

template <typename Real>
[[gnu::flatten]] Real dotProductRestrict(const Real *__restrict X,
                                         const Real *__restrict Y, size_t N) {
  return dotProduct<Real>(X, Y, N);
}

template <typename Real> struct Dot {
  explicit Dot(size_t N) : N(N), X(N), Y(N) {
    verso_bench::Random Rng(1);
    for (size_t I = 0; I != N; ++I) {
      X[I] = Rng.uniform(-1, 1);
      Y[I] = Rng.uniform(-1, 1);
    }
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : X)
      Visit(V);
    for (Real &V : Y)
      Visit(V);
  }
  Real evaluate() const { return dotProduct<Real>(X.data(), Y.data(), N); }
  Real evaluateRestrict() const {
    return dotProductRestrict<Real>(X.data(), Y.data(), N);
  }

  size_t N;
  std::vector<Real> X, Y;
};

inline void dotAdjoint(const double *__restrict X, double *__restrict DX,
                       const double *__restrict Y, double *__restrict DY,
                       size_t N) {
  for (size_t I = 0; I != N; ++I) {
    DX[I] += Y[I];
    DY[I] += X[I];
  }
}

inline void handAdjoint(const Dot<double> &P, Dot<double> &D) {
  dotAdjoint(P.X.data(), D.X.data(), P.Y.data(), D.Y.data(), P.N);
}

#endif // VERSO_BENCHMARKS_KERNELS_DOT_H
