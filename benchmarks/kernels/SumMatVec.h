//===- SumMatVec.h - the sum of a matrix-vector product ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The paper's third function: the sum of the components of A x, with A square
// of about n entries, row by row.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_SUMMATVEC_H
#define VERSO_BENCHMARKS_KERNELS_SUMMATVEC_H

#include "../Harness.h"

#include <cmath>

template <typename Real>
Real sumMatVec(const Real *A, const Real *X, Real *Y, size_t Rows,
               size_t Columns) {
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

/// The product is a local vector.
template <typename Real>
Real sumMatVecOfLocal(const Real *A, const Real *X, size_t Rows,
                      size_t Columns) {
  std::vector<Real> Y(Rows);
  return sumMatVec<Real>(A, X, Y.data(), Rows, Columns);
}

template <typename Real>
[[gnu::flatten]] Real sumMatVecOfLocalRestrict(const Real *__restrict A,
                                               const Real *__restrict X,
                                               size_t Rows, size_t Columns) {
  return sumMatVecOfLocal<Real>(A, X, Rows, Columns);
}

template <typename Real> struct SumMatVec {
  explicit SumMatVec(size_t N)
      : Columns((size_t)std::lround(std::sqrt((double)N))), Rows(N / Columns),
        A(Rows * Columns), X(Columns) {
    verso_bench::Random Rng(2);
    for (Real &V : A)
      V = Rng.uniform(-1, 1);
    for (Real &V : X)
      V = Rng.uniform(-1, 1);
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : A)
      Visit(V);
    for (Real &V : X)
      Visit(V);
  }
  Real evaluate() const {
    return sumMatVecOfLocal<Real>(A.data(), X.data(), Rows, Columns);
  }
  Real evaluateRestrict() const {
    return sumMatVecOfLocalRestrict<Real>(A.data(), X.data(), Rows, Columns);
  }

  size_t Columns, Rows;
  std::vector<Real> A, X;
};

inline void sumMatVecAdjoint(const SumMatVec<double> &P, double *__restrict DA,
                             double *__restrict DX) {
  const double *A = P.A.data(), *X = P.X.data();
  for (size_t I = 0; I != P.Rows; ++I)
    for (size_t J = 0; J != P.Columns; ++J) {
      DA[I * P.Columns + J] += X[J];
      DX[J] += A[I * P.Columns + J];
    }
}

inline void handAdjoint(const SumMatVec<double> &P, SumMatVec<double> &D) {
  sumMatVecAdjoint(P, D.A.data(), D.X.data());
}

#endif // VERSO_BENCHMARKS_KERNELS_SUMMATVEC_H
