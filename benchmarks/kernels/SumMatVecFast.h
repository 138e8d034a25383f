//===- SumMatVecFast.h - a matrix-vector product in any order ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SumMatVec.h with sums that may be reassociated, so that the primal
// vectorises.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_SUMMATVECFAST_H
#define VERSO_BENCHMARKS_KERNELS_SUMMATVECFAST_H

#include "SumMatVec.h"

template <typename Real>
Real sumMatVecFast(const Real *A, const Real *X, size_t Rows, size_t Columns) {
#pragma clang fp reassociate(on)
  std::vector<Real> Y(Rows);
  for (size_t I = 0; I != Rows; ++I) {
    Real Sum = 0.0;
    for (size_t J = 0; J != Columns; ++J)
      Sum += A[I * Columns + J] * X[J];
    Y[I] = Sum;
  }
  Real Total = 0.0;
  for (size_t I = 0; I != Rows; ++I)
    Total += Y[I];
  return Total;
}

template <typename Real>
[[gnu::flatten]] Real sumMatVecFastRestrict(const Real *__restrict A,
                                            const Real *__restrict X,
                                            size_t Rows, size_t Columns) {
  return sumMatVecFast<Real>(A, X, Rows, Columns);
}

template <typename Real> struct SumMatVecFast : SumMatVec<Real> {
  using SumMatVec<Real>::SumMatVec;
  Real evaluate() const {
    return sumMatVecFast<Real>(this->A.data(), this->X.data(), this->Rows,
                               this->Columns);
  }
  Real evaluateRestrict() const {
    return sumMatVecFastRestrict<Real>(this->A.data(), this->X.data(),
                                       this->Rows, this->Columns);
  }
};

#endif // VERSO_BENCHMARKS_KERNELS_SUMMATVECFAST_H
