//===- forward.cpp - values and tangents ----------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// verso::jvp of functions that return numbers, containers, structs, or nothing
// and write their arguments; with constants, and with captures. Every tangent
// agrees with the pullback: <J v, w> = <v, J^T w>.
//
//
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.hpp"

using Vector = std::vector<double>;

static double product(double x, double y) { return x * x * y; }
static float single(float x) { return x * x; }
static Vector rotate(const Vector &x, double a, int shift) {
  Vector y;
  for (std::size_t i = 0; i != x.size(); ++i)
    y.push_back(a * x[i] * std::sin(x[(i + shift) % x.size()]));
  y.push_back(x[0]);
  return y;
}
struct State {
  double position, velocity;
  std::array<float, 2> rest;
};
static State step(const State &s, double h) {
  return {s.position + h * s.velocity,
          s.velocity - h * s.position,
          {s.rest[1], s.rest[0] * s.rest[0]}};
}
static void advance(std::span<double> y, std::span<const double> k, double h) {
  for (std::size_t i = 0; i != y.size(); ++i)
    y[i] += h * k[i] * y[i];
}
static double both(const Vector &x, Vector &squares) {
  double sum = 0;
  for (std::size_t i = 0; i != x.size(); ++i) {
    squares[i] = x[i] * x[i];
    sum += squares[i] * x[i];
  }
  return sum;
}
static double dot(const Vector &a, const Vector &b) {
  double sum = 0;
  for (std::size_t i = 0; i != a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

int main() {
  auto [p, dp] = verso::jvp(product, std::tuple(2, 3), std::tuple(1, 10));
  CHECK_EQUAL(p, 12);
  CHECK_EQUAL(dp, 12 + 40);
  auto [q, dq] = verso::jvp(product, std::tuple(verso::constant(2.0), 3), 10.0);
  CHECK_EQUAL(q, 12);
  CHECK_EQUAL(dq, 40);
  auto [s, ds] = verso::jvp(single)(3, 2);
  static_assert(std::is_same_v<decltype(ds), float>);
  CHECK(s == 9 && ds == 12);
  double factor = 5;
  auto captured = [&](double x) { return factor * x * x; };
  CHECK_EQUAL(verso::jvp(captured, 3, 1).tangent, 30);

  const Vector x{1, 2, 3}, dx{1, 10, 100};
  const double a = 2, da = 0.5;
  const int shift = 1;
  auto [y, dy] = verso::jvp(rotate, std::tie(x, a, shift), std::tie(dx, da));
  CHECK(y == rotate(x, a, shift) && dy.size() == 4);
  auto [value, pullback] = verso::vjp(rotate, x, a, shift);
  for (std::size_t i = 0; i != 4; ++i) {
    Vector w(4);
    w[i] = 1;
    auto [gx, ga] = pullback(w);
    CHECK_CLOSE(dy[i], dot(gx, dx) + ga * da, 1e-13);
  }

  auto [next, tangent] = verso::jvp(step, std::tuple(State{1, 2, {3, 4}}, 0.5),
                                    std::tuple(State{10, 100, {1, 2}}, 1.0));
  CHECK(next.position == 2 && next.rest[1] == 9);
  CHECK_EQUAL(tangent.position, 10 + 50 + 2);
  CHECK_EQUAL(tangent.velocity, 100 - 5 - 1);
  CHECK(tangent.rest[0] == 2 && tangent.rest[1] == 6);

  Vector v{1, 2}, k{3, 4}, dv{1, 10}, dk{100, 1000};
  verso::jvp(advance, std::tuple(std::span(v), std::span<const double>(k), 0.5),
             std::tie(dv, dk, da));
  CHECK(v[0] == 2.5 && v[1] == 6);
  CHECK_EQUAL(dv[0], 1 * 2.5 + 0.5 * 100 * 1 + 0.5 * 3 * 1);
  CHECK_EQUAL(dv[1], 10 * 3 + 0.5 * 1000 * 2 + 0.5 * 4 * 2);

  Vector squares(3), dsquares(3);
  auto [sum, dsum] =
      verso::jvp(both, std::tie(x, squares), std::tie(dx, dsquares));
  CHECK(sum == 36 && squares[2] == 9);
  CHECK_EQUAL(dsum, 3 * 1 + 12 * 10 + 27 * 100);
  CHECK(dsquares[0] == 2 && dsquares[1] == 40 && dsquares[2] == 600);

  bool refused = false;
  try {
    verso::jvp(rotate, std::tie(x, a, shift), std::tuple(Vector(2), 1.0));
  } catch (const std::invalid_argument &) {
    refused = true;
  }
  CHECK(refused);
  return check_status();
}
