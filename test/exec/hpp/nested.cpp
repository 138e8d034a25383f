//===- nested.cpp - gradients of functions that use gradients -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reverse over reverse: verso::grad(verso::grad(f)), to third order, mixed
// partial derivatives, Hessian-vector products of functions of vectors and
// structs, and a solver that uses a gradient in a loop of its own.
//
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.hpp"

static double quartic(double x) { return x * x * x * x; }
static double wave(double x) { return std::sin(x) * x * x; }
static double product(double x, double y) { return x * x * y * y * y; }

static double energy(const std::vector<double> &x) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i)
    sum += x[i] * x[i] * x[i + 1];
  return sum;
}
struct Pair {
  double a;
  std::array<double, 2> b;
};
static double of_pair(const Pair &p) { return p.a * p.a * p.b[0] * p.b[1]; }

/// The root of x^3 = a by Newton's method.
static double root(double a) {
  double x = 1;
  for (int i = 0; i != 40; ++i) {
    auto [value, slope] = verso::value_and_grad([](double t, double c) {
      return t * t * t - c;
    })(x, verso::constant(a));
    x -= value / slope;
  }
  return x;
}

int main() {
  CHECK_EQUAL(verso::grad(verso::grad(verso::fn<quartic>))(2), 48);
  CHECK_EQUAL(verso::grad(verso::grad(verso::grad(verso::fn<quartic>)))(2), 48);
  double t = 0.8;
  CHECK_CLOSE(verso::grad(verso::grad(verso::fn<wave>))(t),
              2 * sin(t) + 4 * t * cos(t) - t * t * sin(t), 1e-13);
  double c = 3;
  auto captured = [&c](double x) { return c * x * x * x; };
  CHECK_EQUAL(verso::grad(verso::grad(captured))(2), 36);
  CHECK_EQUAL(verso::value_and_grad(verso::grad(captured))(2).value, 36);
  CHECK_EQUAL(verso::grad(verso::grad(verso::fn<wave>))(0), 0);

  auto mixed = [](double x, double y) {
    auto [dx, dy] = verso::grad(verso::fn<product>)(x, y);
    return dx + 10 * dy;
  };
  auto [xx, xy] = verso::grad(mixed)(2, 3);
  CHECK_EQUAL(xx, 2 * 27 + 10 * 2 * 2 * 27);
  CHECK_EQUAL(xy, 2 * 2 * 27 + 10 * 4 * 18);

  std::vector<double> x{1, 2, 3}, v{1, 10, 100};
  auto directional = [&v](const std::vector<double> &at) {
    std::vector<double> gradient = verso::grad(verso::fn<energy>)(at);
    double sum = 0;
    for (std::size_t i = 0; i != v.size(); ++i)
      sum += gradient[i] * v[i];
    return sum;
  };
  std::vector<double> hv = verso::grad(directional)(x);
  CHECK_CLOSE(hv[0], 4 * 1 + 2 * 10, 1e-13);
  CHECK_CLOSE(hv[1], 2 * 1 + 6 * 10 + 4 * 100, 1e-13);
  CHECK_CLOSE(hv[2], 4 * 10, 1e-13);

  auto along = [](const Pair &p) {
    Pair g = verso::grad(verso::fn<of_pair>)(p);
    return g.a + 10 * g.b[0];
  };
  Pair hp = verso::grad(along)(Pair{2, {3, 5}});
  CHECK_EQUAL(hp.a, 2 * 15 + 10 * 2 * 2 * 5);
  CHECK_EQUAL(hp.b[0], 2 * 2 * 5);
  CHECK_EQUAL(hp.b[1], 2 * 2 * 3 + 10 * 4);

  CHECK_CLOSE(root(8), 2, 1e-14);
  CHECK_CLOSE(verso::grad(verso::fn<root>)(8), 1.0 / 12, 1e-14);

  // A pullback inside.
  auto through = [](double x) {
    auto [y, pullback] = verso::vjp(
        [](double u) { return std::array<double, 2>{u * u, u * u * u}; }, x);
    return pullback(std::array<double, 2>{1, y[0]});
  };
  // 2 x + x^2 * 3 x^2
  CHECK_EQUAL(through(2), 4 + 48);
  CHECK_EQUAL(verso::grad(through)(2), 2 + 12 * 8);
  return check_status();
}
