//===- DotFast.h - dot product in any order ---------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dot.h with a sum that may be reassociated, so that primal and adjoint are
// bound by the same memory traffic: the gradient writes as much as it reads.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_DOTFAST_H
#define VERSO_BENCHMARKS_KERNELS_DOTFAST_H

#include "Dot.h"

template <typename Real>
Real dotProductFast(const Real *X, const Real *Y, size_t N) {
#pragma clang fp reassociate(on)
  Real Sum = 0.0;
  for (size_t I = 0; I != N; ++I)
    Sum += X[I] * Y[I];
  return Sum;
}

template <typename Real>
[[gnu::flatten]] Real dotProductFastRestrict(const Real *__restrict X,
                                             const Real *__restrict Y,
                                             size_t N) {
  return dotProductFast<Real>(X, Y, N);
}

template <typename Real> struct DotFast : Dot<Real> {
  using Dot<Real>::Dot;
  Real evaluate() const {
    return dotProductFast<Real>(this->X.data(), this->Y.data(), this->N);
  }
  Real evaluateRestrict() const {
    return dotProductFastRestrict<Real>(this->X.data(), this->Y.data(),
                                        this->N);
  }
};

inline double dotTangentFast(const double *__restrict X,
                             const double *__restrict DX,
                             const double *__restrict Y,
                             const double *__restrict DY, size_t N) {
#pragma clang fp reassociate(on)
  double Sum = 0;
  for (size_t I = 0; I != N; ++I)
    Sum += DX[I] * Y[I] + X[I] * DY[I];
  return Sum;
}

inline double handTangent(const DotFast<double> &P, const DotFast<double> &D) {
  return dotTangentFast(P.X.data(), D.X.data(), P.Y.data(), D.Y.data(), P.N);
}

#endif // VERSO_BENCHMARKS_KERNELS_DOTFAST_H
