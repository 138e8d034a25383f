//===- without-exceptions.cpp - the interface without exceptions ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without exceptions and run-time type information, and with the members of
// aggregates found in the way of compilers that have no packs of structured
// bindings.
//
// FLAGS: -fno-exceptions -fno-rtti -DVERSO_NO_BINDING_PACKS
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.hpp"

struct Point {
  double x, y;
};
struct Many {
  Point a;
  std::vector<double> v;
  std::array<float, 3> f;
  int n;
  double b, c, d, e, g, h, i, j, k, l, m;
};
static double of_many(const Many &s) {
  double sum = s.a.x * s.a.y + s.f[2] * s.n + s.m * s.m;
  for (double v : s.v)
    sum += v * v;
  return sum;
}

int main() {
  Many s{{2, 3}, {4, 5}, {6, 7, 8}, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  Many ds = verso::grad(of_many)(s);
  CHECK(ds.a.x == 3 && ds.a.y == 2 && ds.v[1] == 10 && ds.f[2] == 9 &&
        ds.n == 9 && ds.m == 22 && ds.l == 0);
  auto [y, pullback] =
      verso::vjp([](double t) { return std::vector<double>{t, t * t}; }, 3);
  CHECK_EQUAL(pullback(std::vector<double>{1, 10}), 61);
  return check_status();
}
