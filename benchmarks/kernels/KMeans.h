//===- KMeans.h - the cost of a clustering ----------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sum of the squared distances of n points to the nearest of 16 centres, as
// a function of the centres.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_KMEANS_H
#define VERSO_BENCHMARKS_KERNELS_KMEANS_H

#include "../Harness.h"

constexpr size_t KMeansCentres = 16;
constexpr size_t KMeansWidth = 8;

template <typename Real>
Real kMeansCost(const double *Points, const Real *Centres, size_t N) {
  Real Cost = 0.0;
  for (size_t P = 0; P != N; ++P) {
    Real Nearest = 1e300;
    for (size_t C = 0; C != KMeansCentres; ++C) {
      Real Distance = 0.0;
      for (size_t I = 0; I != KMeansWidth; ++I) {
        Real Difference =
            Points[P * KMeansWidth + I] - Centres[C * KMeansWidth + I];
        Distance += Difference * Difference;
      }
      if (Distance < Nearest)
        Nearest = Distance;
    }
    Cost += Nearest;
  }
  return Cost;
}

template <typename Real>
[[gnu::flatten]] Real kMeansCostRestrict(const double *__restrict Points,
                                         const Real *__restrict Centres,
                                         size_t N) {
  return kMeansCost<Real>(Points, Centres, N);
}

template <typename Real> struct KMeans {
  explicit KMeans(size_t N)
      : N(N), Points(N * KMeansWidth), Centres(KMeansCentres * KMeansWidth) {
    verso_bench::Random Rng(19);
    for (double &V : Points)
      V = Rng.uniform(-1, 1);
    for (Real &V : Centres)
      V = Rng.uniform(-1, 1);
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : Centres)
      Visit(V);
  }
  Real evaluate() const {
    return kMeansCost<Real>(Points.data(), Centres.data(), N);
  }
  Real evaluateRestrict() const {
    return kMeansCostRestrict<Real>(Points.data(), Centres.data(), N);
  }

  size_t N;
  std::vector<double> Points;
  std::vector<Real> Centres;
};

/// Only the nearest centre gets anything, as soon as it is known: the first
/// whose distance is the least.
inline void handAdjoint(const KMeans<double> &P, KMeans<double> &D) {
  const double *Centres = P.Centres.data();
  double *__restrict DCentres = D.Centres.data();
  for (size_t I = 0; I != P.N; ++I) {
    const double *X = P.Points.data() + I * KMeansWidth;
    double Distances[KMeansCentres], Least = 1e300;
    for (size_t C = 0; C != KMeansCentres; ++C) {
      double Distance = 0;
      for (size_t J = 0; J != KMeansWidth; ++J) {
        double Difference = X[J] - Centres[C * KMeansWidth + J];
        Distance += Difference * Difference;
      }
      Distances[C] = Distance;
      if (Distance < Least)
        Least = Distance;
    }
    size_t Nearest = 0;
    while (Distances[Nearest] != Least)
      ++Nearest;
    for (size_t J = 0; J != KMeansWidth; ++J)
      DCentres[Nearest * KMeansWidth + J] +=
          2 * (Centres[Nearest * KMeansWidth + J] - X[J]);
  }
}

#endif // VERSO_BENCHMARKS_KERNELS_KMEANS_H
