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

template <typename Real>
[[gnu::flatten]] Real
gmmRestrict(const GmmShape &S, const Real *__restrict Alphas,
            const Real *__restrict Means, const Real *__restrict Factors,
            const double *__restrict Points) {
  return gmm<Real>(S, Alphas, Means, Factors, Points);
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
  Real evaluateRestrict() const {
    return gmmRestrict<Real>(S, Alphas.data(), Means.data(), Factors.data(),
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

/// Weights become exp(X - logSumExp(X)).
inline void softmax(const double *X, double *__restrict Weights, size_t N) {
  double Max = X[0];
  for (size_t I = 1; I != N; ++I)
    Max = X[I] > Max ? X[I] : Max;
  double Sum = 0;
  for (size_t I = 0; I != N; ++I) {
    Weights[I] = std::exp(X[I] - Max);
    Sum += Weights[I];
  }
  const double Inverse = 1 / Sum;
  for (size_t I = 0; I != N; ++I)
    Weights[I] *= Inverse;
}

/// What the adjoint adds up over the points, cluster by cluster, before
/// anything goes into the shadow: Weights, the sums of the points' weights w;
/// Products, those of w q, where q = Q (x - mean); and Outers, those of
/// w q (x - mean)^T, its diagonal and then, column by column, what is below.
struct GmmSums {
  double *__restrict Weights, *__restrict Products, *__restrict Outers;
};

/// All clusters' parts of one point. The adjoint of a term's square norm is
/// known as soon as the point's terms are, so nothing outlives the point.
inline void gmmPointAdjoint(const GmmShape &S, const double *Weights,
                            const double *Centred, const double *Products,
                            const GmmSums &Sums) {
  const size_t D = S.D;
  for (size_t C = 0; C != S.K; ++C) {
    const double *X = Centred + C * D, *Q = Products + C * D;
    double *__restrict Product = Sums.Products + C * D;
    double *__restrict Outer = Sums.Outers + C * S.factorSize();
    Sums.Weights[C] += Weights[C];
    for (size_t I = 0; I != D; ++I) {
      Product[I] += Weights[C] * Q[I];
      Outer[I] += Weights[C] * Q[I] * X[I];
    }
    double *__restrict Below = Outer + D;
    for (size_t J = 0; J != D; ++J) {
      const double WX = Weights[C] * X[J];
      for (size_t I = J + 1; I != D; ++I)
        *Below++ += WX * Q[I];
    }
  }
}

/// From the sums to the shadow, with the Wishart prior and the normalisation of
/// the alphas. The means' adjoint is Q^T times the sum of w q: Q is the same
/// for all points.
inline void gmmSumsAdjoint(const Gmm<double> &P, const double *Diagonals,
                           const double *Softmax, const GmmSums &Sums,
                           Gmm<double> &Shadow) {
  const GmmShape &S = P.S;
  const size_t D = S.D;
  const double Prior = S.WishartGamma * S.WishartGamma;
  for (size_t C = 0; C != S.K; ++C) {
    const double *Diagonal = Diagonals + C * D, *Q = Sums.Products + C * D;
    const double *Outer = Sums.Outers + C * S.factorSize();
    const double *Factor = P.Factors.data() + C * S.factorSize();
    double *__restrict DMean = Shadow.Means.data() + C * D;
    double *__restrict DFactor = Shadow.Factors.data() + C * S.factorSize();
    Shadow.Alphas[C] += Sums.Weights[C] - (double)S.N * Softmax[C];
    const double LogSum = Sums.Weights[C] - S.WishartM;
    for (size_t I = 0; I != D; ++I) {
      DMean[I] += Diagonal[I] * Q[I];
      DFactor[I] += LogSum + Diagonal[I] * (Prior * Diagonal[I] - Outer[I]);
    }
    for (size_t I = D; I != S.factorSize(); ++I)
      DFactor[I] += Prior * Factor[I] - Outer[I];
    const double *Below = Factor + D;
    for (size_t J = 0; J != D; ++J)
      for (size_t I = J + 1; I != D; ++I)
        DMean[J] += *Below++ * Q[I];
  }
}

inline void handAdjoint(const Gmm<double> &P, Gmm<double> &Shadow,
                        verso_bench::Tape &T) {
  const GmmShape &S = P.S;
  const size_t D = S.D, K = S.K;
  double *__restrict Diagonals = T.keep(K * D), *LogSums = T.scratch(K);
  double *__restrict Centred = T.keep(K * D), *Products = T.keep(K * D);
  double *Terms = T.scratch(K), *Weights = T.keep(K);
  GmmSums Sums = {T.zeroed(K), T.zeroed(K * D), T.zeroed(K * S.factorSize())};
  for (size_t C = 0; C != K; ++C) {
    LogSums[C] = 0;
    for (size_t I = 0; I != D; ++I) {
      LogSums[C] += P.Factors[C * S.factorSize() + I];
      Diagonals[C * D + I] = std::exp(P.Factors[C * S.factorSize() + I]);
    }
  }
  for (size_t Point = 0; Point != S.N; ++Point) {
    for (size_t C = 0; C != K; ++C) {
      for (size_t I = 0; I != D; ++I)
        Centred[C * D + I] = P.Points[Point * D + I] - P.Means[C * D + I];
      Terms[C] = P.Alphas[C] + LogSums[C] -
                 0.5 * squaredNormOfProduct<double>(
                           Diagonals + C * D,
                           P.Factors.data() + C * S.factorSize() + D,
                           Centred + C * D, Products + C * D, D);
    }
    softmax(Terms, Weights, K);
    gmmPointAdjoint(S, Weights, Centred, Products, Sums);
  }
  softmax(P.Alphas.data(), Weights, K);
  gmmSumsAdjoint(P, Diagonals, Weights, Sums, Shadow);
}

#endif // VERSO_BENCHMARKS_KERNELS_GMM_H
