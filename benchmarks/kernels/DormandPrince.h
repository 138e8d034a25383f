//===- DormandPrince.h - adaptive integration -------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Half the squared norm of the populations of n Lotka-Volterra systems at one
// time, by Dormand and Prince's pair of orders 5 and 4 with step size control,
// as a function of each system's four rates and two initial populations. Steps
// that are too long are rejected; the last one ends at the given time. The step
// sizes vary too: they follow the error estimates, and the gradient is that of
// the program.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_BENCHMARKS_KERNELS_DORMANDPRINCE_H
#define VERSO_BENCHMARKS_KERNELS_DORMANDPRINCE_H

#include "../Harness.h"

#include <cmath>

constexpr double FateEnd = 10;
constexpr double FateTolerance = 1e-7;

/// The stages' coefficients, row by row; the last row is the solution of order
/// 5. Then its difference from the one of order 4.
constexpr double DormandPrinceA[7][6] = {
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
constexpr double DormandPrinceE[7] = {
    71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
    -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

template <typename Real> struct PreyAndPredators {
  Real Rates[4];
  Real Initial[2];
};

template <typename Real>
void lotkaVolterra(const Real *Rates, const Real *Y, Real *F) {
  F[0] = (Rates[0] - Rates[1] * Y[1]) * Y[0];
  F[1] = (Rates[3] * Y[0] - Rates[2]) * Y[1];
}

/// The populations at FateEnd.
template <typename Real>
void fate(const PreyAndPredators<Real> &System, Real *Y) {
  using std::fabs;
  using std::pow;
  using std::sqrt;
  Real K[7][2], Next[2];
  Real T = 0.0, H = 0.1;
  Y[0] = System.Initial[0];
  Y[1] = System.Initial[1];
  lotkaVolterra<Real>(System.Rates, Y, K[0]);
  for (;;) {
    bool Last = T + H >= FateEnd;
    if (Last)
      H = FateEnd - T;
    for (int Stage = 1; Stage != 7; ++Stage) {
      for (int D = 0; D != 2; ++D) {
        Real Slope = 0.0;
        for (int J = 0; J != Stage; ++J)
          Slope += DormandPrinceA[Stage][J] * K[J][D];
        Next[D] = Y[D] + H * Slope;
      }
      lotkaVolterra<Real>(System.Rates, Next, K[Stage]);
    }
    Real Squares = 0.0;
    for (int D = 0; D != 2; ++D) {
      Real Slope = 0.0;
      for (int J = 0; J != 7; ++J)
        Slope += DormandPrinceE[J] * K[J][D];
      Real Error = H * Slope / (FateTolerance * (1.0 + fabs(Y[D])));
      Squares += Error * Error;
    }
    Real Norm = sqrt(0.5 * Squares);
    if (Norm <= 1.0) {
      T += H;
      for (int D = 0; D != 2; ++D) {
        Y[D] = Next[D];
        K[0][D] = K[6][D];
      }
      if (Last)
        return;
    }
    Real Factor = 0.9 * pow(Norm, -0.2);
    if (Factor < 0.2)
      Factor = 0.2;
    if (Factor > 5.0)
      Factor = 5.0;
    H = H * Factor;
  }
}

template <typename Real>
Real sumOfFates(const PreyAndPredators<Real> *Systems, size_t N) {
  Real Sum = 0.0;
  for (size_t I = 0; I != N; ++I) {
    Real Y[2];
    fate<Real>(Systems[I], Y);
    Sum += Y[0] * Y[0] + Y[1] * Y[1];
  }
  return 0.5 * Sum;
}

template <typename Real> struct DormandPrince {
  explicit DormandPrince(size_t N) : N(N), Systems(N) {
    verso_bench::Random Rng(27);
    for (PreyAndPredators<Real> &S : Systems) {
      S.Rates[0] = Rng.uniform(0.5, 1.5);
      S.Rates[1] = Rng.uniform(0.5, 1.5);
      S.Rates[2] = Rng.uniform(0.5, 1.5);
      S.Rates[3] = Rng.uniform(0.5, 1.5);
      S.Initial[0] = Rng.uniform(0.5, 2);
      S.Initial[1] = Rng.uniform(0.5, 2);
    }
  }
  template <typename F> void forEachActive(F Visit) {
    for (PreyAndPredators<Real> &S : Systems) {
      for (Real &V : S.Rates)
        Visit(V);
      for (Real &V : S.Initial)
        Visit(V);
    }
  }
  Real evaluate() const { return sumOfFates<Real>(Systems.data(), N); }

  size_t N;
  std::vector<PreyAndPredators<Real>> Systems;
};

/// One step that was tried: what it began with and its slopes. Norm is that of
/// the error, Factor what the step size was multiplied by.
struct FateStep {
  double Y[2], K[7][2], H, Norm, Factor;
  bool Last, Accepted, Clamped;
};

/// As fate; appends the steps.
inline void fateAndKeep(const PreyAndPredators<double> &System, double *Y,
                        std::vector<FateStep> &Steps) {
  FateStep S;
  double T = 0, H = 0.1, Next[2];
  Y[0] = System.Initial[0];
  Y[1] = System.Initial[1];
  lotkaVolterra<double>(System.Rates, Y, S.K[0]);
  for (;;) {
    S.Last = T + H >= FateEnd;
    S.H = S.Last ? FateEnd - T : H;
    S.Y[0] = Y[0];
    S.Y[1] = Y[1];
    for (int Stage = 1; Stage != 7; ++Stage) {
      for (int D = 0; D != 2; ++D) {
        double Slope = 0;
        for (int J = 0; J != Stage; ++J)
          Slope += DormandPrinceA[Stage][J] * S.K[J][D];
        Next[D] = Y[D] + S.H * Slope;
      }
      lotkaVolterra<double>(System.Rates, Next, S.K[Stage]);
    }
    double Squares = 0;
    for (int D = 0; D != 2; ++D) {
      double Slope = 0;
      for (int J = 0; J != 7; ++J)
        Slope += DormandPrinceE[J] * S.K[J][D];
      double Error = S.H * Slope / (FateTolerance * (1 + std::fabs(Y[D])));
      Squares += Error * Error;
    }
    S.Norm = std::sqrt(0.5 * Squares);
    S.Accepted = S.Norm <= 1;
    const bool Done = S.Accepted && S.Last;
    const double Factor = Done ? 1 : 0.9 * std::pow(S.Norm, -0.2);
    S.Factor = Factor < 0.2 ? 0.2 : Factor > 5 ? 5 : Factor;
    S.Clamped = S.Factor != Factor;
    Steps.push_back(S);
    H = S.H * S.Factor;
    if (!S.Accepted)
      continue;
    T += S.H;
    for (int D = 0; D != 2; ++D) {
      Y[D] = Next[D];
      S.K[0][D] = S.K[6][D];
    }
    if (Done)
      return;
  }
}

/// The adjoints of the integration's state.
struct FateAdjoint {
  double Y[2], K0[2], T, H;
};

inline void lotkaVolterraAdjoint(const double *Rates, const double *Y,
                                 const double *G, double *DRates, double *DY) {
  DRates[0] += G[0] * Y[0];
  DRates[1] -= G[0] * Y[0] * Y[1];
  DRates[2] -= G[1] * Y[1];
  DRates[3] += G[1] * Y[0] * Y[1];
  DY[0] += G[0] * (Rates[0] - Rates[1] * Y[1]) + G[1] * Rates[3] * Y[1];
  DY[1] += G[1] * (Rates[3] * Y[0] - Rates[2]) - G[0] * Rates[1] * Y[0];
}

/// From the error's norm back to the slopes G, the step size and the state.
inline void fateErrorAdjoint(const FateStep &S, double DNorm, double (*G)[2],
                             double &DH, FateAdjoint &L) {
  const double DHalf = 0.5 * DNorm / S.Norm;
  for (int D = 0; D != 2; ++D) {
    double Slope = 0;
    for (int J = 0; J != 7; ++J)
      Slope += DormandPrinceE[J] * S.K[J][D];
    const double Inverse = 1 / (FateTolerance * (1 + std::fabs(S.Y[D])));
    const double Error = S.H * Slope * Inverse;
    const double DQuotient = DHalf * Error * Inverse;
    DH += DQuotient * Slope;
    L.Y[D] -= std::copysign(FateTolerance, S.Y[D]) * DQuotient * Error;
    for (int J = 0; J != 7; ++J)
      G[J][D] += DQuotient * S.H * DormandPrinceE[J];
  }
}

/// Reverses one step. Unrolled, so that the coefficients are constants and the
/// slopes' adjoints stay in registers, as they do in the primal.
inline void fateStepAdjoint(const double *Rates, const FateStep &S,
                            double *DRates, FateAdjoint &L) {
  double G[7][2] = {}, DNext[2] = {}, DH = L.H * S.Factor;
  if (S.Accepted) {
    DH += L.T;
    for (int D = 0; D != 2; ++D) {
      DNext[D] = L.Y[D];
      G[6][D] = L.K0[D];
      L.Y[D] = L.K0[D] = 0;
    }
  }
  if (L.H != 0 && !S.Clamped)
    fateErrorAdjoint(S, L.H * S.H * -0.2 * S.Factor / S.Norm, G, DH, L);
#pragma clang loop unroll(full)
  for (int Stage = 6; Stage != 0; --Stage) {
    double Slope[2] = {}, At[2];
    for (int D = 0; D != 2; ++D) {
      for (int J = 0; J != Stage; ++J)
        Slope[D] += DormandPrinceA[Stage][J] * S.K[J][D];
      At[D] = S.Y[D] + S.H * Slope[D];
    }
    lotkaVolterraAdjoint(Rates, At, G[Stage], DRates, DNext);
    for (int D = 0; D != 2; ++D) {
      L.Y[D] += DNext[D];
      DH += DNext[D] * Slope[D];
      for (int J = 0; J != Stage; ++J)
        G[J][D] += S.H * DormandPrinceA[Stage][J] * DNext[D];
      DNext[D] = 0;
    }
  }
  L.K0[0] += G[0][0];
  L.K0[1] += G[0][1];
  L.H = S.Last ? 0 : DH;
  if (S.Last)
    L.T -= DH;
}

/// Forward and back, system by system: the steps of one are kept at a time.
inline void handAdjoint(const DormandPrince<double> &P,
                        DormandPrince<double> &D, verso_bench::Tape &T) {
  std::vector<FateStep> Steps;
  Steps.reserve(256);
  for (size_t I = 0; I != P.N; ++I) {
    const PreyAndPredators<double> &System = P.Systems[I];
    PreyAndPredators<double> &DSystem = D.Systems[I];
    FateAdjoint L = {};
    Steps.clear();
    fateAndKeep(System, L.Y, Steps);
    T.keptElsewhere(Steps.size() * sizeof(FateStep));
    for (size_t Step = Steps.size(); Step-- != 0;)
      fateStepAdjoint(System.Rates, Steps[Step], DSystem.Rates, L);
    lotkaVolterraAdjoint(System.Rates, System.Initial, L.K0, DSystem.Rates,
                         L.Y);
    DSystem.Initial[0] += L.Y[0];
    DSystem.Initial[1] += L.Y[1];
  }
}

#endif // VERSO_BENCHMARKS_KERNELS_DORMANDPRINCE_H
