//===- odeint-dopri5.cpp - Boost.odeint's adaptive Dormand-Prince ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The controlled stepper chooses its steps from an error estimate, which
// depends on the parameters, too: differences of the whole are therefore taken
// with step control that is tight enough not to show. An exponential decay has
// a closed form.
//
// REQUIRES: boost
// HEAVY: Boost
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <array>
#include <boost/numeric/odeint.hpp>
#include <vector>

namespace odeint = boost::numeric::odeint;
using State = std::array<double, 2>;

CHECK_NOINLINE static double lotka_volterra(const double *p) {
  State state{p[4], p[5]};
  auto rhs = [p](const State &z, State &dz, double) {
    dz[0] = (p[0] - p[1] * z[1]) * z[0];
    dz[1] = (-p[2] + p[3] * z[0]) * z[1];
  };
  auto stepper =
      odeint::make_controlled<odeint::runge_kutta_dopri5<State>>(1e-10, 1e-10);
  odeint::integrate_adaptive(stepper, rhs, state, 0.0, 5.0, 0.05);
  return state[0] * state[0] + state[1];
}
CHECK_NOINLINE static double decay(double rate) {
  std::vector<double> state{3, rate};
  auto rhs = [rate](const std::vector<double> &z, std::vector<double> &dz,
                    double) {
    dz[0] = -rate * z[0];
    dz[1] = 0;
  };
  auto stepper = odeint::make_dense_output(
      1e-11, 1e-11, odeint::runge_kutta_dopri5<std::vector<double>>());
  odeint::integrate_const(stepper, rhs, state, 0.0, 2.0, 0.25);
  return state[0];
}
static double lotka_volterra_of(double *p) { return lotka_volterra(p); }

int main() {
  double p[] = {0.55, 0.028, 0.8, 0.024, 33.9, 5.9}, dp[6] = {};
  __verso_grad_void((void *)lotka_volterra, verso_dup, p, dp);
  // Relative to the size of each derivative; differences carry the noise of
  // the step control.
  for (int i = 0; i < 6; ++i) {
    double scale = std::fabs(dp[i]) > 1 ? std::fabs(dp[i]) : 1;
    double h = 1e-4 * p[i], q[6];
    std::copy(p, p + 6, q);
    double value[4];
    const double steps[] = {1, -1, 2, -2};
    for (int k = 0; k < 4; ++k) {
      q[i] = p[i] + steps[k] * h;
      value[k] = lotka_volterra_of(q);
    }
    double difference =
        (8 * (value[0] - value[1]) - (value[2] - value[3])) / (12 * h);
    CHECK_CLOSE(dp[i] / scale, difference / scale, 1e-4);
  }
  CHECK_CLOSE(__verso_grad((void *)decay, 0.7), -2 * 3 * std::exp(-1.4), 1e-7);
  return check_status();
}
