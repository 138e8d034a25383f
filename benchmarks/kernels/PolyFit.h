//===- PolyFit.h - least squares on a polynomial basis ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Half the squared residuals of n measurements against a polynomial in its
// monomials, as a function of the twelve coefficients. The powers do not vary.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_POLYFIT_H
#define VERSO_BENCHMARKS_KERNELS_POLYFIT_H

#include "../Harness.h"

constexpr size_t PolyFitTerms = 12;

template <typename Real>
Real polyFit(const Real *Coefficients, const double *X, const double *Y,
             size_t N) {
  Real Sum = 0.0;
  for (size_t I = 0; I != N; ++I) {
    double Power = 1;
    Real Value = 0.0;
    for (size_t J = 0; J != PolyFitTerms; ++J) {
      Value += Coefficients[J] * Power;
      Power *= X[I];
    }
    Real Residual = Value - Y[I];
    Sum += Residual * Residual;
  }
  return 0.5 * Sum;
}

template <typename Real>
[[gnu::flatten]] Real polyFitRestrict(const Real *__restrict Coefficients,
                                      const double *__restrict X,
                                      const double *__restrict Y, size_t N) {
  return polyFit<Real>(Coefficients, X, Y, N);
}

template <typename Real> struct PolyFit {
  explicit PolyFit(size_t N) : N(N), Coefficients(PolyFitTerms), X(N), Y(N) {
    verso_bench::Random Rng(23);
    for (Real &V : Coefficients)
      V = Rng.uniform(-1, 1);
    for (size_t I = 0; I != N; ++I) {
      X[I] = Rng.uniform(-1, 1);
      Y[I] = Rng.uniform(-1, 1);
    }
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : Coefficients)
      Visit(V);
  }
  Real evaluate() const {
    return polyFit<Real>(Coefficients.data(), X.data(), Y.data(), N);
  }
  Real evaluateRestrict() const {
    return polyFitRestrict<Real>(Coefficients.data(), X.data(), Y.data(), N);
  }

  size_t N;
  std::vector<Real> Coefficients;
  std::vector<double> X, Y;
};

/// Measurement by measurement; the powers are kept for the twelve terms only.
inline void handAdjoint(const PolyFit<double> &P, PolyFit<double> &D) {
  double Sums[PolyFitTerms] = {}, Powers[PolyFitTerms];
  for (size_t I = 0; I != P.N; ++I) {
    double Power = 1, Value = 0;
    for (size_t J = 0; J != PolyFitTerms; ++J) {
      Powers[J] = Power;
      Value += P.Coefficients[J] * Power;
      Power *= P.X[I];
    }
    const double Residual = Value - P.Y[I];
    for (size_t J = 0; J != PolyFitTerms; ++J)
      Sums[J] += Residual * Powers[J];
  }
  for (size_t J = 0; J != PolyFitTerms; ++J)
    D.Coefficients[J] += Sums[J];
}

#endif // VERSO_BENCHMARKS_KERNELS_POLYFIT_H
