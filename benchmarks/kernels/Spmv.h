//===- Spmv.h - a chain of sparse matrix-vector products --------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Half the squared norm of A^8 x for a sparse matrix of n rows with 8 entries a
// row, in compressed rows, between two buffers, as a function of the entries
// and of x.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_SPMV_H
#define VERSO_BENCHMARKS_KERNELS_SPMV_H

#include "../Harness.h"

#include <utility>

constexpr size_t SpmvLength = 8;
constexpr size_t SpmvPerRow = 8;

/// Where the entries are.
struct SpmvShape {
  size_t Rows;
  const int *RowStart, *Columns;
};

template <typename Real>
void spmv(const SpmvShape &S, const Real *Values, const Real *X, Real *Y) {
  for (size_t I = 0; I != S.Rows; ++I) {
    Real Sum = 0.0;
    for (int K = S.RowStart[I]; K != S.RowStart[I + 1]; ++K)
      Sum += Values[K] * X[S.Columns[K]];
    Y[I] = Sum;
  }
}

template <typename Real>
Real spmvChain(const SpmvShape &S, const Real *Values, const Real *Initial,
               Real *Now, Real *Then) {
  for (size_t I = 0; I != S.Rows; ++I)
    Now[I] = Initial[I];
  for (size_t Step = 0; Step != SpmvLength; ++Step) {
    spmv<Real>(S, Values, Now, Then);
    std::swap(Now, Then);
  }
  Real Sum = 0.0;
  for (size_t I = 0; I != S.Rows; ++I)
    Sum += Now[I] * Now[I];
  return 0.5 * Sum;
}

template <typename Real>
[[gnu::flatten]] Real
spmvChainRestrict(const SpmvShape &S, const Real *__restrict Values,
                  const Real *__restrict Initial, Real *__restrict Now,
                  Real *__restrict Then) {
  return spmvChain<Real>(S, Values, Initial, Now, Then);
}

template <typename Real> struct Spmv {
  explicit Spmv(size_t N)
      : RowStart(N + 1), Columns(N * SpmvPerRow), Values(N * SpmvPerRow),
        Initial(N), Now(N), Then(N) {
    verso_bench::Random Rng(21);
    for (size_t I = 0; I != N + 1; ++I)
      RowStart[I] = (int)(I * SpmvPerRow);
    for (int &Column : Columns)
      Column = (int)Rng.below(N);
    forEachActive([&](Real &V) { V = Rng.uniform(-0.5, 0.5); });
    S = {N, RowStart.data(), Columns.data()};
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : Values)
      Visit(V);
    for (Real &V : Initial)
      Visit(V);
  }
  Real evaluate() const {
    return spmvChain<Real>(S, Values.data(), Initial.data(), Now.data(),
                           Then.data());
  }
  Real evaluateRestrict() const {
    return spmvChainRestrict<Real>(S, Values.data(), Initial.data(), Now.data(),
                                   Then.data());
  }

  SpmvShape S;
  std::vector<int> RowStart, Columns;
  std::vector<Real> Values, Initial;
  mutable std::vector<Real> Now, Then;
};

/// L, the adjoint of A x, to the entries and, scattered, to x.
inline void spmvAdjoint(const SpmvShape &S, const double *Values,
                        const double *X, const double *L,
                        double *__restrict DValues, double *__restrict DX) {
  for (size_t I = 0; I != S.Rows; ++I) {
    const double G = L[I];
    for (int K = S.RowStart[I]; K != S.RowStart[I + 1]; ++K) {
      DValues[K] += G * X[S.Columns[K]];
      DX[S.Columns[K]] += G * Values[K];
    }
  }
}

/// The vectors before each product are kept.
inline void handAdjoint(const Spmv<double> &P, Spmv<double> &D,
                        verso_bench::Tape &T) {
  const size_t N = P.S.Rows;
  double *X = T.keep(N * SpmvLength);
  double *L = T.scratch(N), *DX = T.scratch(N);
  std::memcpy(X, P.Initial.data(), N * sizeof(double));
  for (size_t Step = 0; Step != SpmvLength; ++Step)
    spmv<double>(P.S, P.Values.data(), X + Step * N,
                 Step + 1 == SpmvLength ? L : X + (Step + 1) * N);
  for (size_t Step = SpmvLength; Step-- != 0;) {
    std::memset(DX, 0, N * sizeof(double));
    spmvAdjoint(P.S, P.Values.data(), X + Step * N, L, D.Values.data(), DX);
    std::swap(L, DX);
  }
  double *__restrict DInitial = D.Initial.data();
  for (size_t I = 0; I != N; ++I)
    DInitial[I] += L[I];
}

#endif // VERSO_BENCHMARKS_KERNELS_SPMV_H
