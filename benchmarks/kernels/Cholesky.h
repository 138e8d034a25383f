//===- Cholesky.h - Cholesky factorisation ----------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The Cholesky factor of a symmetric matrix, row by row, whose inner products
// the primal adds up in order, and a weighted sum of the factor, as a function
// of the matrix's lower triangle; n is about the number of multiplications.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_CHOLESKY_H
#define VERSO_BENCHMARKS_KERNELS_CHOLESKY_H

#include "../Harness.h"

#include <cmath>

template <typename Real>
Real cholesky(const Real *A, const double *Weights, Real *L, size_t M) {
  using std::sqrt;
  for (size_t I = 0; I != M; ++I)
    for (size_t J = 0; J <= I; ++J) {
      Real Sum = A[I * M + J];
      for (size_t K = 0; K != J; ++K)
        Sum -= L[I * M + K] * L[J * M + K];
      if (I == J)
        L[I * M + I] = sqrt(Sum);
      else
        L[I * M + J] = Sum / L[J * M + J];
    }
  Real Total = 0.0;
  for (size_t I = 0; I != M; ++I)
    for (size_t J = 0; J <= I; ++J)
      Total += Weights[I * M + J] * L[I * M + J];
  return Total;
}

template <typename Real>
[[gnu::flatten]] Real choleskyRestrict(const Real *__restrict A,
                                       const double *__restrict Weights,
                                       Real *__restrict L, size_t M) {
  return cholesky<Real>(A, Weights, L, M);
}

template <typename Real> struct Cholesky {
  explicit Cholesky(size_t N)
      : M((size_t)std::lround(std::cbrt(6 * (double)N))), A(M * M),
        Weights(M * M), L(M * M) {
    verso_bench::Random Rng(14);
    std::vector<double> Root(M * M);
    for (double &V : Root)
      V = Rng.uniform(-1, 1);
    for (double &V : Weights)
      V = Rng.uniform(-1, 1);
    for (size_t I = 0; I != M; ++I)
      for (size_t J = 0; J != M; ++J) {
        double Sum = I == J ? 1 : 0;
        for (size_t K = 0; K != M; ++K)
          Sum += Root[I * M + K] * Root[J * M + K] / (double)M;
        A[I * M + J] = Sum;
      }
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : A)
      Visit(V);
  }
  Real evaluate() const {
    return cholesky<Real>(A.data(), Weights.data(), L.data(), M);
  }
  Real evaluateRestrict() const {
    return choleskyRestrict<Real>(A.data(), Weights.data(), L.data(), M);
  }

  size_t M;
  std::vector<Real> A;
  std::vector<double> Weights;
  mutable std::vector<Real> L;
};

inline void choleskyForward(const double *A, double *L, size_t M) {
  for (size_t I = 0; I != M; ++I) {
    for (size_t J = 0; J != I; ++J)
      L[I * M + J] =
          (A[I * M + J] - verso_bench::dotInAnyOrder(L + I * M, L + J * M, J)) /
          L[J * M + J];
    L[I * M + I] = std::sqrt(
        A[I * M + I] - verso_bench::dotInAnyOrder(L + I * M, L + I * M, I));
  }
}

/// The factor is all that is kept. G holds its adjoint. The inner products of
/// the forward sweep become sums of rows here.
inline void choleskyReverse(const double *L, double *__restrict G,
                            double *__restrict DA, size_t M) {
  for (size_t I = M; I-- != 0;) {
    double *__restrict DRow = G + I * M;
    const double *Row = L + I * M;
    const double Diagonal = 0.5 * DRow[I] / Row[I];
    DA[I * M + I] += Diagonal;
    for (size_t K = 0; K != I; ++K)
      DRow[K] -= 2 * Diagonal * Row[K];
    for (size_t J = I; J-- != 0;) {
      double *__restrict DOther = G + J * M;
      const double *Other = L + J * M;
      const double S = DRow[J] / Other[J];
      DA[I * M + J] += S;
      DOther[J] -= S * Row[J];
      for (size_t K = 0; K != J; ++K) {
        DRow[K] -= S * Other[K];
        DOther[K] -= S * Row[K];
      }
    }
  }
}

inline void handAdjoint(const Cholesky<double> &P, Cholesky<double> &D,
                        verso_bench::Tape &T) {
  const size_t M = P.M;
  double *L = T.keep(M * M), *G = T.scratch(M * M);
  choleskyForward(P.A.data(), L, M);
  std::memcpy(G, P.Weights.data(), M * M * sizeof(double));
  choleskyReverse(L, G, D.A.data(), M);
}

#endif // VERSO_BENCHMARKS_KERNELS_CHOLESKY_H
