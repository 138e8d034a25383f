//===- Gmm.h - Gaussian mixture model, an ADBench problem -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The log posterior of a mixture of K Gaussians in D dimensions for n points,
// with a Wishart prior, as a function of weights, means and the logarithms and
// lower triangles of the inverse covariance factors. Written from the formulas
// of Srajer, Kukelova and Fitzgibbon, "A benchmark of selected algorithmic
// differentiation tools" (2018).
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_GMM_H
#define VERSO_BENCHMARKS_KERNELS_GMM_H

#include "../Harness.h"

#include <cmath>

/// Everything about the model that is not differentiated.
struct GmmShape {
  size_t D, K, N;
  double WishartGamma;
  double WishartM;
  size_t factorSize() const { return D * (D + 1) / 2; }
};

template <typename Real> Real logSumExp(const Real *X, size_t N) {
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

/// |Q x|^2, where Q is lower triangular: the exponential of the diagonal and,
/// column by column, what is below it.
template <typename Real>
Real squaredNormOfProduct(const Real *Diagonal, const Real *Below,
                          const Real *X, Real *Product, size_t D) {
  for (size_t I = 0; I != D; ++I)
    Product[I] = Diagonal[I] * X[I];
  for (size_t J = 0; J != D; ++J)
    for (size_t I = J + 1; I != D; ++I)
      Product[I] += *Below++ * X[J];
  Real Sum = 0.0;
  for (size_t I = 0; I != D; ++I)
    Sum += Product[I] * Product[I];
  return Sum;
}

/// The part of the Wishart prior that varies.
template <typename Real>
Real logWishart(const GmmShape &S, const Real *Diagonals, const Real *LogSums,
                const Real *Factors) {
  Real Sum = 0.0;
  for (size_t K = 0; K != S.K; ++K) {
    Real Norm = 0.0;
    for (size_t I = 0; I != S.D; ++I)
      Norm += Diagonals[K * S.D + I] * Diagonals[K * S.D + I];
    for (size_t I = S.D; I != S.factorSize(); ++I) {
      const Real &L = Factors[K * S.factorSize() + I];
      Norm += L * L;
    }
    Sum +=
        0.5 * S.WishartGamma * S.WishartGamma * Norm - S.WishartM * LogSums[K];
  }
  return Sum;
}

/// The constants of likelihood and prior.
inline double gmmConstant(const GmmShape &S) {
  const double Pi = 3.14159265358979323846, D = (double)S.D;
  const double Freedom = D + S.WishartM + 1;
  double LogGamma = 0.25 * D * (D - 1) * std::log(Pi);
  for (size_t J = 0; J != S.D; ++J)
    LogGamma += std::lgamma(0.5 * Freedom - 0.5 * (double)J);
  return -0.5 * (double)S.N * D * std::log(2 * Pi) -
         (double)S.K *
             (Freedom * D * (std::log(S.WishartGamma) - 0.5 * std::log(2.0)) -
              LogGamma);
}

template <typename Real>
Real gmm(const GmmShape &S, const Real *Alphas, const Real *Means,
         const Real *Factors, const double *Points) {
  using std::exp;
  const size_t D = S.D, K = S.K;
  std::vector<Real> Diagonals(K * D), LogSums(K), Centred(D), Product(D),
      Terms(K);
  for (size_t C = 0; C != K; ++C) {
    Real Sum = 0.0;
    for (size_t I = 0; I != D; ++I) {
      const Real &Log = Factors[C * S.factorSize() + I];
      Sum += Log;
      Diagonals[C * D + I] = exp(Log);
    }
    LogSums[C] = Sum;
  }
  Real Likelihood = 0.0;
  for (size_t P = 0; P != S.N; ++P) {
    for (size_t C = 0; C != K; ++C) {
      for (size_t I = 0; I != D; ++I)
        Centred[I] = Points[P * D + I] - Means[C * D + I];
      Terms[C] = Alphas[C] + LogSums[C] -
                 0.5 * squaredNormOfProduct<Real>(
                           &Diagonals[C * D], &Factors[C * S.factorSize() + D],
                           Centred.data(), Product.data(), D);
    }
    Likelihood += logSumExp<Real>(Terms.data(), K);
  }
  return gmmConstant(S) + Likelihood -
         (double)S.N * logSumExp<Real>(Alphas, K) +
         logWishart<Real>(S, Diagonals.data(), LogSums.data(), Factors);
}

template <typename Real> struct Gmm {
  explicit Gmm(size_t N)
      : S{10, 25, N, 1.0, 0.0}, Alphas(S.K), Means(S.K * S.D),
        Factors(S.K * S.factorSize()), Points(N * S.D) {
    if (fill(verso_bench::readAdbench("gmm/1k/gmm_d10_K25.txt")))
      return;
    verso_bench::Random Rng(9);
    forEachActive([&](Real &V) { V = Rng.uniform(-1, 1); });
    for (double &V : Points)
      V = Rng.uniform(-2, 2);
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : Alphas)
      Visit(V);
    for (Real &V : Means)
      Visit(V);
    for (Real &V : Factors)
      Visit(V);
  }
  Real evaluate() const {
    return gmm<Real>(S, Alphas.data(), Means.data(), Factors.data(),
                     Points.data());
  }

  GmmShape S;
  std::vector<Real> Alphas, Means, Factors;
  std::vector<double> Points;

private:
  /// D K N, the parameters, N points (read round and round), gamma and m.
  bool fill(const std::vector<double> &File) {
    size_t Parameters = S.K * (1 + S.D + S.factorSize());
    if (File.size() < 3 + Parameters + S.D + 2 || File[0] != (double)S.D ||
        File[1] != (double)S.K)
      return false;
    const double *Next = File.data() + 3;
    forEachActive([&](Real &V) { V = *Next++; });
    size_t Given = File.size() - 3 - Parameters - 2;
    for (size_t I = 0; I != Points.size(); ++I)
      Points[I] = Next[I % Given];
    S.WishartGamma = File[File.size() - 2];
    S.WishartM = File[File.size() - 1];
    return true;
  }
};

#endif // VERSO_BENCHMARKS_KERNELS_GMM_H
