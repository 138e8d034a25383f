//===- fields-of-many.cpp - coordinates in a vector of structures ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// STRATEGY: structured
//
// Coordinates beside integers, in more structures than places are kept apart:
// then fields are, not structures.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <verso/verso.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace {

struct Particle {
  std::array<double, 3> at, speed;
  int id;
  double mass;
};

constexpr int N = 12;

double action(const double *x, int n) {
  std::vector<Particle> all(n);
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < 3; ++c) {
      all[i].at[c] = x[3 * i + c];
      all[i].speed[c] = 0.1 * x[3 * i + (c + 1) % 3];
    }
    all[i].id = i;
    all[i].mass = 1 + 0.1 * i;
  }
  for (int step = 0; step < 3; ++step) {
    std::sort(all.begin(), all.end(), [](const Particle &a, const Particle &b) {
      return a.at[0] < b.at[0];
    });
    for (int i = 0; i + 1 < n; ++i)
      for (int c = 0; c < 3; ++c) {
        double force = std::sin(all[i + 1].at[c] - all[i].at[c]) * all[i].mass;
        all[i].speed[c] += 0.1 * force;
        all[i + 1].speed[c] -= 0.1 * force;
      }
    for (Particle &p : all)
      for (int c = 0; c < 3; ++c)
        p.at[c] += 0.1 * p.speed[c];
  }
  double sum = 0;
  for (const Particle &p : all)
    sum += p.at[0] * p.at[1] * p.speed[2] * (1 + p.id);
  return sum;
}

double ofTwelve(double *x) { return action(x, N); }

} // namespace

int main() {
  double x[3 * N], gradient[3 * N] = {};
  for (int i = 0; i < 3 * N; ++i)
    x[i] = 0.6 + 0.5 * std::sin(1.3 * i + 0.2 * i * i);
  __verso_grad((void *)action, verso_dup, x, gradient, verso_const, N);
  CHECK_GRADIENT(ofTwelve, 3 * N, x, gradient, 1e-7);
  return check_status();
}
