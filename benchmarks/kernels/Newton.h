//===- Newton.h - Kepler's equation by Newton's method ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sum over n orbits of the eccentric anomaly E, the root of
//   E - e sin E = M,
// found by a while loop that stops when the step is small: trip counts depend
// on the data. The hand-written adjoint differentiates the root, not the
// iteration.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_NEWTON_H
#define VERSO_BENCHMARKS_KERNELS_NEWTON_H

#include "../Harness.h"

#include <cmath>

template <typename Real>
Real eccentricAnomaly(const Real &Mean, const Real &Eccentricity) {
  using std::cos;
  using std::fabs;
  using std::sin;
  Real E = Mean;
  Real Step = 1.0;
  while (fabs(Step) > 1e-12) {
    Step = (E - Eccentricity * sin(E) - Mean) / (1.0 - Eccentricity * cos(E));
    E = E - Step;
  }
  return E;
}

template <typename Real>
Real sumOfAnomalies(const Real *Mean, const Real *Eccentricity, size_t N) {
  Real Sum = 0.0;
  for (size_t I = 0; I != N; ++I)
    Sum += eccentricAnomaly<Real>(Mean[I], Eccentricity[I]);
  return Sum;
}

template <typename Real>
[[gnu::flatten]] Real
sumOfAnomaliesRestrict(const Real *__restrict Mean,
                       const Real *__restrict Eccentricity, size_t N) {
  return sumOfAnomalies<Real>(Mean, Eccentricity, N);
}

template <typename Real> struct Newton {
  explicit Newton(size_t N) : N(N), Mean(N), Eccentricity(N) {
    verso_bench::Random Rng(6);
    for (size_t I = 0; I != N; ++I) {
      Mean[I] = Rng.uniform(0, 3);
      Eccentricity[I] = Rng.uniform(0, 0.6);
    }
  }
  template <typename F> void forEachActive(F Visit) {
    for (Real &V : Mean)
      Visit(V);
    for (Real &V : Eccentricity)
      Visit(V);
  }
  Real evaluate() const {
    return sumOfAnomalies<Real>(Mean.data(), Eccentricity.data(), N);
  }
  Real evaluateRestrict() const {
    return sumOfAnomaliesRestrict<Real>(Mean.data(), Eccentricity.data(), N);
  }

  size_t N;
  std::vector<Real> Mean, Eccentricity;
};

/// Sine and cosine of the root are those of the last iterate but one, corrected
/// for the last step, whose square is nothing.
inline void handAdjoint(const Newton<double> &P, Newton<double> &D) {
  for (size_t I = 0; I != P.N; ++I) {
    const double Mean = P.Mean[I], Eccentricity = P.Eccentricity[I];
    double E = Mean, Step = 1, Sine = 0, Cosine = 0;
    while (std::fabs(Step) > 1e-12) {
      Sine = std::sin(E);
      Cosine = std::cos(E);
      Step = (E - Eccentricity * Sine - Mean) / (1 - Eccentricity * Cosine);
      E = E - Step;
    }
    const double Adjoint = 1 / (1 - Eccentricity * (Cosine + Sine * Step));
    D.Mean[I] += Adjoint;
    D.Eccentricity[I] += (Sine - Cosine * Step) * Adjoint;
  }
}

#endif // VERSO_BENCHMARKS_KERNELS_NEWTON_H
