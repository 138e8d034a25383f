//===- MatMul.h - matrix product --------------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Half the squared norm of A B for square matrices, as a function of both; n is
// about the number of multiplications. Rows of B are added up, so that the
// inner loop has unit stride.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_MATMUL_H
#define VERSO_BENCHMARKS_KERNELS_MATMUL_H

#include "../Harness.h"

#include <cmath>

template <typename Real>
Real matMul(const Real *A, const Real *B, Real *C, size_t M) {
  for (size_t I = 0; I != M; ++I) {
    for (size_t J = 0; J != M; ++J)
      C[I * M + J] = 0.0;
    for (size_t K = 0; K != M; ++K)
      for (size_t J = 0; J != M; ++J)
        C[I * M + J] += A[I * M + K] * B[K * M + J];
  }
  Real Sum = 0.0;
  for (size_t I = 0; I != M * M; ++I)
    Sum += C[I] * C[I];
  return 0.5 * Sum;
}

template <typename Real>
[[gnu::flatten]] Real matMulRestrict(const Real *__restrict A,
                                     const Real *__restrict B,
                                     Real *__restrict C, size_t M) {
  return matMul<Real>(A, B, C, M);
}

template <typename Real> struct MatMul {
  explicit MatMul(size_t N)
      : M((size_t)std::lround(std::cbrt((double)N))), A(M * M), B(M * M),
        C(M * M) {
    verso_bench::Random Rng(12);
    forEachActive([&](Real &V) { V = Rng.uniform(-1, 1); });
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : A)
      Visit(V);
    for (Real &V : B)
      Visit(V);
  }
  Real evaluate() const {
    return matMul<Real>(A.data(), B.data(), C.data(), M);
  }
  Real evaluateRestrict() const {
    return matMulRestrict<Real>(A.data(), B.data(), C.data(), M);
  }

  size_t M;
  std::vector<Real> A, B;
  mutable std::vector<Real> C;
};

/// The product is its own adjoint, G: B += A^T G row by row, and A += G B^T by
/// the rows of a transposed copy of B, so that all inner loops have unit
/// stride.
inline void matMulAdjoint(const double *A, const double *B,
                          double *__restrict BT, double *__restrict G,
                          double *__restrict DA, double *__restrict DB,
                          size_t M) {
  for (size_t I = 0; I != M; ++I)
    for (size_t J = 0; J != M; ++J)
      BT[J * M + I] = B[I * M + J];
  for (size_t I = 0; I != M; ++I) {
    for (size_t J = 0; J != M; ++J)
      G[I * M + J] = 0;
    for (size_t K = 0; K != M; ++K)
      for (size_t J = 0; J != M; ++J)
        G[I * M + J] += A[I * M + K] * B[K * M + J];
    for (size_t K = 0; K != M; ++K)
      for (size_t J = 0; J != M; ++J)
        DB[K * M + J] += A[I * M + K] * G[I * M + J];
    for (size_t J = 0; J != M; ++J)
      for (size_t K = 0; K != M; ++K)
        DA[I * M + K] += G[I * M + J] * BT[J * M + K];
  }
}

inline void handAdjoint(const MatMul<double> &P, MatMul<double> &D,
                        verso_bench::Tape &T) {
  const size_t M = P.M;
  double *BT = T.scratch(M * M), *G = T.keep(M * M);
  matMulAdjoint(P.A.data(), P.B.data(), BT, G, D.A.data(), D.B.data(), M);
}

#endif // VERSO_BENCHMARKS_KERNELS_MATMUL_H
