//===- Posterior.h - the Lotka-Volterra model and its posterior -*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model of B. Carpenter's case study "Predator-Prey Population Dynamics:
// the Lotka-Volterra model in Stan" (2018):
//
//   u' = (alpha - beta v) u        hares, in thousands of pelts
//   v' = (-gamma + delta u) v      lynxes
//   log y ~ Normal(log z, sigma)   each year, hares and lynxes apart
//
// with the priors alpha, gamma ~ Normal(1, 0.5), beta, delta ~ Normal(0.05,
// 0.05), sigma ~ LogNormal(-1, 1), z_init ~ LogNormal(log 10, 1).
//
// Everybody passes the logarithms of the parameters, which are positive. The
// density is that of the parameters themselves, so its mode is the same
// whatever they are optimised in.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_DEMO_LOTKA_VOLTERRA_POSTERIOR_H
#define VERSO_DEMO_LOTKA_VOLTERRA_POSTERIOR_H

#include <array>
#include <cstddef>
#include <vector>

/// A row of the table; hares and lynxes in thousands of pelts.
struct Observation {
  double Year, Hare, Lynx;
};

enum Parameter {
  Alpha,
  Beta,
  Gamma,
  Delta,
  InitialHare,
  InitialLynx,
  SigmaHare,
  SigmaLynx,
  ParameterCount
};

using Parameters = std::array<double, ParameterCount>;

/// Hares and lynxes.
using State = std::array<double, 2>;

/// The populations at Times, which ascend; the first is the initial one's.
/// Throws what odeint throws when its step size has no end of shrinking.
std::vector<State> simulate(const double *LogParameters,
                            const std::vector<double> &Times);

/// Minus the logarithm of the posterior density, without its constant.
double negativeLogPosterior(const double *LogParameters,
                            const Observation *Rows, size_t Count);

/// Its value, and its gradient by the logarithms of the parameters: Verso's
/// reverse mode, or plain central differences if LV_FINITE_DIFFERENCES is
/// defined.
double valueAndGradient(const Parameters &LogParameters,
                        const std::vector<Observation> &Rows,
                        Parameters &Gradient);

/// The gradient by central differences of fourth order: the check of Verso's.
Parameters centralDifferences(const Parameters &LogParameters,
                              const std::vector<Observation> &Rows);

#endif // VERSO_DEMO_LOTKA_VOLTERRA_POSTERIOR_H
