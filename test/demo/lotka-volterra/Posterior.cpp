//===- Posterior.cpp - the posterior and its gradient by Verso ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one file that is compiled with the plugin. Nothing in it is written for
// differentiation but the call of __verso_value_and_grad: the integrator is
// Boost.odeint's adaptive Dormand-Prince stepper as it comes, whose step sizes
// depend on the parameters too and are differentiated with the rest.
//
//===----------------------------------------------------------------------===//

#include "Posterior.h"

#include <boost/numeric/odeint.hpp>

#include <cmath>

namespace odeint = boost::numeric::odeint;

namespace {

constexpr double RelativeTolerance = 1e-9;
constexpr double AbsoluteTolerance = 1e-9;
constexpr double FirstStep = 0.1;

struct LotkaVolterra {
  double Alpha, Beta, Gamma, Delta;

  void operator()(const State &Z, State &Slope, double /*Time*/) const {
    const auto [Hare, Lynx] = Z;
    Slope[0] = (Alpha - Beta * Lynx) * Hare;
    Slope[1] = (-Gamma + Delta * Hare) * Lynx;
  }
};

/// Minus the logarithm of a normal density, without its constant.
double normal(double X, double Mean, double Sigma) {
  double Z = (X - Mean) / Sigma;
  return 0.5 * Z * Z + std::log(Sigma);
}

/// The same of a log-normal density, at X = exp(LogX).
double logNormal(double LogX, double Mean, double Sigma) {
  return normal(LogX, Mean, Sigma) + LogX;
}

double negativeLogPrior(const double *LogP) {
  double Sum = 0;
  for (int I : {Alpha, Gamma})
    Sum += normal(std::exp(LogP[I]), 1, 0.5);
  for (int I : {Beta, Delta})
    Sum += normal(std::exp(LogP[I]), 0.05, 0.05);
  for (int I : {InitialHare, InitialLynx})
    Sum += logNormal(LogP[I], std::log(10.), 1);
  for (int I : {SigmaHare, SigmaLynx})
    Sum += logNormal(LogP[I], -1, 1);
  return Sum;
}

} // namespace

std::vector<State> simulate(const double *LogP,
                            const std::vector<double> &Times) {
  const LotkaVolterra System = {std::exp(LogP[Alpha]), std::exp(LogP[Beta]),
                                std::exp(LogP[Gamma]), std::exp(LogP[Delta])};
  State Z = {std::exp(LogP[InitialHare]), std::exp(LogP[InitialLynx])};
  std::vector<State> Path;
  auto Stepper = odeint::make_controlled(AbsoluteTolerance, RelativeTolerance,
                                         odeint::runge_kutta_dopri5<State>());
  odeint::integrate_times(
      Stepper, System, Z, Times.begin(), Times.end(), FirstStep,
      [&](const State &At, double /*Time*/) { Path.push_back(At); });
  return Path;
}

double negativeLogPosterior(const double *LogP, const Observation *Rows,
                            size_t Count) {
  std::vector<double> Times;
  for (size_t I = 0; I != Count; ++I)
    Times.push_back(Rows[I].Year - Rows[0].Year);
  const std::vector<State> Path = simulate(LogP, Times);
  const double Hares = std::exp(LogP[SigmaHare]);
  const double Lynxes = std::exp(LogP[SigmaLynx]);
  double Sum = negativeLogPrior(LogP);
  for (size_t I = 0; I != Count; ++I) {
    Sum += logNormal(std::log(Rows[I].Hare), std::log(Path[I][0]), Hares);
    Sum += logNormal(std::log(Rows[I].Lynx), std::log(Path[I][1]), Lynxes);
  }
  return Sum;
}

Parameters centralDifferences(const Parameters &LogP,
                              const std::vector<Observation> &Rows) {
  // The step balances the fourth-order error against the integrator's.
  constexpr double Step = 1e-3;
  Parameters Gradient;
  for (size_t I = 0; I != LogP.size(); ++I) {
    auto At = [&](double Offset) {
      Parameters Moved = LogP;
      Moved[I] += Offset;
      return negativeLogPosterior(Moved.data(), Rows.data(), Rows.size());
    };
    Gradient[I] = (8 * (At(Step) - At(-Step)) - At(2 * Step) + At(-2 * Step)) /
                  (12 * Step);
  }
  return Gradient;
}

#ifdef LV_FINITE_DIFFERENCES

// Of second order and with another step, so that the demo's check of one
// against the other says something.
double valueAndGradient(const Parameters &LogP,
                        const std::vector<Observation> &Rows,
                        Parameters &Gradient) {
  constexpr double Step = 1e-5;
  for (size_t I = 0; I != LogP.size(); ++I) {
    Parameters Above = LogP, Below = LogP;
    Above[I] += Step;
    Below[I] -= Step;
    Gradient[I] =
        (negativeLogPosterior(Above.data(), Rows.data(), Rows.size()) -
         negativeLogPosterior(Below.data(), Rows.data(), Rows.size())) /
        (2 * Step);
  }
  return negativeLogPosterior(LogP.data(), Rows.data(), Rows.size());
}

#else

extern "C" {
extern int verso_dup;
extern int verso_const;
double __verso_value_and_grad(void *, ...);
}

double valueAndGradient(const Parameters &LogP,
                        const std::vector<Observation> &Rows,
                        Parameters &Gradient) {
  Gradient.fill(0);
  return __verso_value_and_grad((void *)negativeLogPosterior, verso_dup,
                                LogP.data(), Gradient.data(), verso_const,
                                Rows.data(), verso_const, Rows.size());
}

#endif
