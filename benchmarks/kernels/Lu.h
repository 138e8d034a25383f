//===- Lu.h - LU factorisation ----------------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LU factorisation with partial pivoting, row by row in place, and a weighted
// sum of the factors, as a function of the matrix; n is about the number of
// multiplications.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_LU_H
#define VERSO_BENCHMARKS_KERNELS_LU_H

#include "../Harness.h"

#include <cmath>

template <typename Real>
Real lu(const Real *A, const double *Weights, Real *F, size_t M) {
  using std::fabs;
  for (size_t I = 0; I != M * M; ++I)
    F[I] = A[I];
  for (size_t K = 0; K != M; ++K) {
    size_t Pivot = K;
    for (size_t I = K + 1; I != M; ++I)
      if (fabs(F[I * M + K]) > fabs(F[Pivot * M + K]))
        Pivot = I;
    if (Pivot != K)
      for (size_t J = 0; J != M; ++J) {
        Real Lower = F[Pivot * M + J];
        F[Pivot * M + J] = F[K * M + J];
        F[K * M + J] = Lower;
      }
    for (size_t I = K + 1; I != M; ++I) {
      F[I * M + K] = F[I * M + K] / F[K * M + K];
      for (size_t J = K + 1; J != M; ++J)
        F[I * M + J] -= F[I * M + K] * F[K * M + J];
    }
  }
  Real Sum = 0.0;
  for (size_t I = 0; I != M * M; ++I)
    Sum += Weights[I] * F[I];
  return Sum;
}

template <typename Real>
[[gnu::flatten]] Real luRestrict(const Real *__restrict A,
                                 const double *__restrict Weights,
                                 Real *__restrict F, size_t M) {
  return lu<Real>(A, Weights, F, M);
}

template <typename Real> struct Lu {
  explicit Lu(size_t N)
      : M((size_t)std::lround(std::cbrt(3 * (double)N))), A(M * M),
        Weights(M * M), F(M * M) {
    verso_bench::Random Rng(13);
    for (Real &V : A)
      V = Rng.uniform(-1, 1);
    for (double &V : Weights)
      V = Rng.uniform(-1, 1);
  }
  template <typename Function> void forEachActive(Function Visit) {
    for (Real &V : A)
      Visit(V);
  }
  Real evaluate() const {
    return lu<Real>(A.data(), Weights.data(), F.data(), M);
  }
  Real evaluateRestrict() const {
    return luRestrict<Real>(A.data(), Weights.data(), F.data(), M);
  }

  size_t M;
  std::vector<Real> A;
  std::vector<double> Weights;
  mutable std::vector<Real> F;
};

/// The factors in F, and in Row the place in A of each of their rows.
inline void luForward(const double *A, double *__restrict F, size_t *Row,
                      size_t M) {
  for (size_t I = 0; I != M * M; ++I)
    F[I] = A[I];
  for (size_t I = 0; I != M; ++I)
    Row[I] = I;
  for (size_t K = 0; K != M; ++K) {
    size_t Pivot = K;
    for (size_t I = K + 1; I != M; ++I)
      if (std::fabs(F[I * M + K]) > std::fabs(F[Pivot * M + K]))
        Pivot = I;
    if (Pivot != K) {
      for (size_t J = 0; J != M; ++J)
        std::swap(F[Pivot * M + J], F[K * M + J]);
      std::swap(Row[Pivot], Row[K]);
    }
    for (size_t I = K + 1; I != M; ++I) {
      const double Factor = F[I * M + K] /= F[K * M + K];
      for (size_t J = K + 1; J != M; ++J)
        F[I * M + J] -= Factor * F[K * M + J];
    }
  }
}

/// All values that the reverse sweep needs are in the final factors: an entry
/// is used by a step only after its own last change. Rows below the pivot's may
/// stand in any order, so the swaps are undone once, in the end. G holds the
/// adjoint of the factors.
inline void luReverse(const double *F, double *__restrict G, size_t M) {
  for (size_t K = M; K-- != 0;) {
    const double Inverse = 1 / F[K * M + K];
    const double *Upper = F + K * M + K + 1;
    double *__restrict DUpper = G + K * M + K + 1;
    for (size_t I = K + 1; I != M; ++I) {
      const double Factor = F[I * M + K];
      const double *DRow = G + I * M + K + 1;
      const double Along = verso_bench::dotInAnyOrder(DRow, Upper, M - K - 1);
      for (size_t J = 0; J != M - K - 1; ++J)
        DUpper[J] -= Factor * DRow[J];
      const double DFactor = (G[I * M + K] - Along) * Inverse;
      G[I * M + K] = DFactor;
      G[K * M + K] -= DFactor * Factor;
    }
  }
}

inline void handAdjoint(const Lu<double> &P, Lu<double> &D,
                        verso_bench::Tape &T) {
  const size_t M = P.M;
  double *F = T.keep(M * M), *__restrict G = T.scratch(M * M);
  size_t *Row = T.keep<size_t>(M);
  luForward(P.A.data(), F, Row, M);
  std::memcpy(G, P.Weights.data(), M * M * sizeof(double));
  luReverse(F, G, M);
  for (size_t I = 0; I != M; ++I) {
    double *__restrict DRow = D.A.data() + Row[I] * M;
    for (size_t J = 0; J != M; ++J)
      DRow[J] += G[I * M + J];
  }
}

#endif // VERSO_BENCHMARKS_KERNELS_LU_H
