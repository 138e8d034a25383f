//===- in-classes.cpp - custom derivatives in C++ -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In namespaces, of overloaded functions and inline ones, with lambdas as
// partial derivatives; calls behind std::function, in templates and in code that
// throws; with verso.hpp, its Hessians included.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "check.h"
#include <array>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <verso/verso.hpp>

namespace physics {
// A fast approximation, with the exact function's derivative.
inline double fast_exp(double x) {
  double y = 1 + x / 1024;
  for (int i = 0; i < 10; ++i)
    y *= y;
  return y;
}
inline float fast_exp(float x) { return float(fast_exp(double(x))); }
inline double exact(double x) { return std::exp(x); }

double pressure(double density, double energy) {
  if (density < 0)
    throw std::domain_error("density");
  return 0.4 * density * energy;
}
} // namespace physics

VERSO_DERIVATIVE(static_cast<double (*)(double)>(physics::fast_exp),
                 physics::exact);
VERSO_DERIVATIVE(physics::pressure,
                 (+[](double, double energy) { return 4 * energy; }),
                 (+[](double density, double) { return 5 * density; }));

template <typename T> static T wrapped(T x) { return physics::fast_exp(x) * x; }

static double energy(const std::array<double, 2> &x) {
  std::function<double(double, double)> law = physics::pressure;
  double sum = law(x[0], x[1]);
  try {
    sum += physics::pressure(-x[0], x[1]);
  } catch (const std::domain_error &) {
    sum += x[0];
  }
  return sum;
}

int main() {
  auto d = verso::grad(wrapped<double>)(0.5);
  CHECK_CLOSE(d, std::exp(0.5) * 0.5 + physics::fast_exp(0.5), 1e-15);
  auto f = verso::grad(wrapped<float>)(0.5f); // By its own body.
  CHECK_CLOSE(f, std::exp(0.5f) * 0.5f + physics::fast_exp(0.5f), 1e-2);

  std::array<double, 2> x{2, 3};
  auto g = verso::grad(energy)(x);
  CHECK_CLOSE(g[0], 4 * 3 + 1, 1e-15);
  CHECK_CLOSE(g[1], 5 * 2, 1e-15);

  auto h = verso::hessian([](const std::array<double, 2> &v) {
    return physics::fast_exp(v[0]) * v[1];
  })(std::array<double, 2>{0.5, 2});
  CHECK_CLOSE(h(0, 0), 2 * std::exp(0.5), 1e-14);
  CHECK_CLOSE(h(0, 1), std::exp(0.5), 1e-14);
  CHECK_CLOSE(h(1, 1), 0, 0);
  return check_status();
}
