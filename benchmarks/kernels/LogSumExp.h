//===- LogSumExp.h - logarithm of a sum of exponentials ---------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// log(sum of exp(x_i)) of n numbers, with their maximum taken out first.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_LOGSUMEXP_H
#define VERSO_BENCHMARKS_KERNELS_LOGSUMEXP_H

#include "../Harness.h"

#include <cmath>

template <typename Real> Real logOfSumOfExp(const Real *X, size_t N) {
  using std::exp;
  using std::log;
  Real Max = X[0];
  for (size_t I = 1; I != N; ++I)
    if (X[I] > Max)
      Max = X[I];
  Real Sum = 0.0;
  for (size_t I = 0; I != N; ++I)
    Sum += exp(X[I] - Max);
  return log(Sum) + Max;
}

template <typename Real> struct LogSumExp {
  explicit LogSumExp(size_t N) : N(N), X(N) {
    verso_bench::Random Rng(17);
    for (Real &V : X)
      V = Rng.uniform(-5, 5);
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : X)
      Visit(V);
  }
  Real evaluate() const { return logOfSumOfExp<Real>(X.data(), N); }

  size_t N;
  std::vector<Real> X;
};

/// The exponentials are kept. What goes through the maximum cancels.
inline void handAdjoint(const LogSumExp<double> &P, LogSumExp<double> &D,
                        verso_bench::Tape &T) {
  const double *X = P.X.data();
  double *__restrict Exp = T.keep(P.N), *__restrict DX = D.X.data();
  double Max = X[0], Sum = 0;
  for (size_t I = 1; I != P.N; ++I)
    Max = X[I] > Max ? X[I] : Max;
  for (size_t I = 0; I != P.N; ++I) {
    Exp[I] = std::exp(X[I] - Max);
    Sum += Exp[I];
  }
  const double Inverse = 1 / Sum;
  for (size_t I = 0; I != P.N; ++I)
    DX[I] += Exp[I] * Inverse;
}

#endif // VERSO_BENCHMARKS_KERNELS_LOGSUMEXP_H
