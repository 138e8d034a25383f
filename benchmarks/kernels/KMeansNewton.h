//===- KMeansNewton.h - a Newton step of a clustering -----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Newton's method on the cost of KMeans.h needs its gradient and its Hessian,
// which is diagonal, so its product with a vector of ones. That is the gradient
// of the cost's slope in this direction, which is the primal here. What Verso
// is asked for is the tangent of the gradient of the cost: both at once, forward
// over reverse.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_KMEANSNEWTON_H
#define VERSO_BENCHMARKS_KERNELS_KMEANSNEWTON_H

#include "KMeans.h"

/// The slope of the cost.
template <typename Real>
Real kMeansSlope(const double *Points, const Real *Centres,
                 const double *Direction, size_t N) {
  Real Slope = 0.0;
  for (size_t P = 0; P != N; ++P) {
    Real Nearest = 1e300, SlopeOfNearest = 0.0;
    for (size_t C = 0; C != KMeansCentres; ++C) {
      Real Distance = 0.0, Change = 0.0;
      for (size_t I = 0; I != KMeansWidth; ++I) {
        Real Difference =
            Points[P * KMeansWidth + I] - Centres[C * KMeansWidth + I];
        Distance += Difference * Difference;
        Change -= Difference * Direction[C * KMeansWidth + I];
      }
      if (Distance < Nearest) {
        Nearest = Distance;
        SlopeOfNearest = Change;
      }
    }
    Slope += 2.0 * SlopeOfNearest;
  }
  return Slope;
}

template <typename Real> struct KMeansNewton : KMeans<Real> {
  explicit KMeansNewton(size_t N)
      : KMeans<Real>(N), Ones(KMeansCentres * KMeansWidth, 1),
        Gradient(KMeansCentres * KMeansWidth) {}
  Real evaluate() const {
    return kMeansSlope<Real>(this->Points.data(), this->Centres.data(),
                             Ones.data(), this->N);
  }
  Real evaluateRestrict() const = delete; ///< There is no such twin.

  std::vector<double> Ones;
  std::vector<double> Gradient; ///< In the shadow, the cost's.
};

/// Only the nearest centre gets anything, as in the adjoint of the cost.
inline void handAdjoint(const KMeansNewton<double> &P,
                        KMeansNewton<double> &D) {
  const double *Centres = P.Centres.data();
  const double *Direction = P.Ones.data();
  double *__restrict Gradient = D.Gradient.data();
  double *__restrict Product = D.Centres.data();
  std::fill(D.Gradient.begin(), D.Gradient.end(), 0);
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
    for (size_t J = 0; J != KMeansWidth; ++J) {
      size_t K = Nearest * KMeansWidth + J;
      Gradient[K] += 2 * (Centres[K] - X[J]);
      Product[K] += 2 * Direction[K];
    }
  }
}

#endif // VERSO_BENCHMARKS_KERNELS_KMEANSNEWTON_H
