//===- linearize.cpp - a function's linear map, applied again and again ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// verso::linearize runs the function once; its map and the transpose agree with
// verso::vjp, give the same every time, outlive the arguments, move, and run in
// another thread.
//
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.hpp"
#include <thread>

using Vector = std::vector<double>;

static int runs;
static Vector rotate(const Vector &x, double a) {
  ++runs;
  Vector y;
  for (std::size_t i = 0; i != x.size(); ++i)
    y.push_back(a * x[i] * x[(i + 1) % x.size()]);
  return y;
}
static auto local_map() {
  Vector x{1, 2, 3};
  return verso::linearize(rotate, x, 2.0).pushforward;
}

int main() {
  auto [y, pushforward] = verso::linearize(rotate, Vector{1, 2, 3}, 2);
  CHECK(y == (Vector{4, 12, 6}));
  CHECK_EQUAL(runs, 1);
  for (int i = 0; i != 3; ++i) {
    CHECK(pushforward(Vector{1, 0, 0}, 0) == (Vector{4, 0, 6}));
    CHECK(pushforward(Vector{0, 10, 0}, 1) == (Vector{2 + 20, 6 + 60, 3}));
    auto [dx, da] = pushforward.pullback(Vector{1, 10, 100});
    CHECK(dx == (Vector{4 + 600, 2 + 60, 40 + 200}));
    CHECK_EQUAL(da, 2 + 60 + 300);
  }
  CHECK_EQUAL(runs, 1);

  runs = 0;
  auto [s, map] = verso::linearize(
      [](double x) {
        ++runs;
        return x * x * x;
      },
      2);
  CHECK(s == 8 && runs == 1);
  CHECK(map(1) == 12 && map.pullback(2) == 24 && runs == 1);

  // A value of dynamic size, in memory that f has used and freed before.
  auto [z, reused] = verso::linearize(
      [](const Vector &x) {
        { // Freed now, with IDs of this run beside it.
          Vector scratch;
          for (double v : x)
            scratch.push_back(v * v);
        }
        std::vector<Vector> result(2);
        for (double v : x)
          result[0].push_back(3 * v);
        result[1] = {x[0] * x[1]};
        return result;
      },
      Vector{1, 2, 3, 4});
  CHECK(z.size() == 2 && z[0][3] == 12 && z[1][0] == 2);
  auto dz = reused(Vector{1, 10, 100, 1000});
  CHECK(dz[0] == (Vector{3, 30, 300, 3000}) && dz[1] == (Vector{12}));
  CHECK(reused.pullback(z) == (Vector{9 + 4, 18 + 2, 27, 36}));

  auto kept = local_map();
  Vector from_thread;
  std::thread([moved = std::move(kept), &from_thread] {
    from_thread = moved(Vector{1, 0, 0}, 0);
  }).join();
  CHECK(from_thread == (Vector{4, 0, 6}));
  return check_status();
}
