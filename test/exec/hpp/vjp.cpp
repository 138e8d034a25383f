//===- vjp.cpp - values and pullbacks -------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// verso::vjp: functions that return containers, structs, numbers or nothing and
// write their arguments, also those that do not vary; a pullback runs
// on the tape, is called often, outlives the arguments and the function, moves, and runs in another
// thread; cotangents of a wrong shape are exceptions.
//
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.hpp"
#include <thread>

using Vector = std::vector<double>;

static std::vector<double> scaled(const std::vector<double> &x, double a) {
  std::vector<double> y;
  for (std::size_t i = 0; i != x.size(); ++i)
    y.push_back(a * x[i] * x[(i + 1) % x.size()]);
  return y;
}
struct State {
  double position, velocity;
};
static State step(const State &s, float h) {
  return {s.position + h * s.velocity, s.velocity - h * s.position};
}
static void advance(std::span<double> y, std::span<const double> k, double h) {
  for (std::size_t i = 0; i != y.size(); ++i)
    y[i] += h * k[i] * y[i];
}
static double both(const std::vector<double> &x, std::vector<double> &squares) {
  double sum = 0;
  for (std::size_t i = 0; i != x.size(); ++i) {
    squares[i] = x[i] * x[i];
    sum += squares[i] * x[i];
  }
  return sum;
}
/// Writes arguments that do not vary.
static double counted(double x, int &calls, Vector &scratch) {
  ++calls;
  scratch.push_back(x * calls);
  return scratch.back() * x;
}
template <class F> static bool refuses(F f) {
  try {
    f();
  } catch (const std::invalid_argument &) {
    return true;
  }
  return false;
}
static int runs;
static double counts(const Vector &x) {
  ++runs;
  return x[0] * x[1];
}
static auto local_pullback() {
  std::vector<double> x{1, 2, 3};
  double factor = 2;
  return verso::vjp(
             [factor](const std::vector<double> &v) {
               return scaled(v, factor);
             },
             x)
      .pullback;
}

int main() {
  Vector x{1, 2, 3};
  auto [y, pullback] = verso::vjp(scaled, x, 2);
  CHECK(y == (Vector{4, 12, 6}));
  for (int i = 0; i != 3; ++i) {
    auto [dx, da] = pullback(Vector{1, 10, 100});
    CHECK(dx == (Vector{4 + 600, 2 + 60, 40 + 200}));
    CHECK_EQUAL(da, 2 + 60 + 300);
    x[0] = 1000; // It has copies.
  }
  CHECK(refuses([&] { pullback(Vector{1, 2}); }));

  auto [cube, slope] = verso::vjp([](double t) { return t * t * t; }, 2);
  CHECK_EQUAL(cube, 8);
  CHECK_EQUAL(slope(1), 12);
  CHECK_EQUAL(slope(0.5), 6);

  auto [next, back] = verso::vjp(step, State{1, 2}, 0.5);
  CHECK(next.position == 2 && next.velocity == 1.5);
  auto [ds, dh] = back(State{10, 100});
  CHECK(ds.position == 10 - 50 && ds.velocity == 5 + 100 && dh == 20 - 100);

  Vector s{1, 2}, k{3, 4};
  auto [nothing, undo] = verso::vjp(advance, s, k, 0.5);
  CHECK(s == (Vector{2.5, 6}));
  for (int i = 0; i != 2; ++i) {
    auto [dy, dk, dstep] = undo(Vector{1, 10});
    CHECK(dy == (Vector{2.5, 30}));
    CHECK(dk == (Vector{0.5, 10}));
    CHECK_EQUAL(dstep, 3 + 80);
  }
  CHECK(s == (Vector{2.5, 6}));

  Vector v{1, 2, 3}, out(3);
  auto [sum, two] = verso::vjp(both, v, verso::out(out));
  CHECK(sum == 36 && out[2] == 9);
  Vector dv = two(2, Vector{1, 10, 100});
  CHECK(dv == (Vector{2 * 3 + 2, 2 * 12 + 40, 2 * 27 + 600}));
  CHECK(refuses([&] { two(2, Vector{1}); }));

  int calls = 0;
  Vector scratch;
  auto [c, again] = verso::vjp(counted, 3, calls, verso::constant(scratch));
  CHECK(c == 9 && calls == 1 && scratch.size() == 1);
  CHECK(again(1) == 6 && again(1) == 6);
  CHECK(calls == 1 && scratch.size() == 1);

  auto [p, rests] = verso::vjp(counts, Vector{2, 3});
  auto copy = rests;
  CHECK(p == 6 && rests(1) == (Vector{3, 2}) && copy(2) == (Vector{6, 4}));
  CHECK_EQUAL(runs, 1);

  auto kept = local_pullback();
  Vector from_thread;
  std::thread([moved = std::move(kept), &from_thread] {
    from_thread = moved(Vector{1, 0, 0});
  }).join();
  CHECK(from_thread == (Vector{4, 2, 0}));
  return check_status();
}
