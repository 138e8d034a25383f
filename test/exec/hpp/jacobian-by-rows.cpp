//===- jacobian-by-rows.cpp - Jacobians in reverse mode -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// verso::jacrev, and verso::jacobian where it takes the rows: of functions of
// vectors, arrays, structs and numbers, with other arguments constant. The
// matrix times a vector is a directional derivative.
//
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.hpp"

static std::vector<double> rotate(const std::vector<double> &x, double a) {
  std::vector<double> y;
  for (std::size_t i = 0; i != x.size(); ++i)
    y.push_back(a * x[i] * x[(i + 1) % x.size()]);
  y.push_back(x[0]);
  return y;
}
struct Point {
  double x;
  float y;
};
static std::array<double, 2> polar(const Point &p) {
  return {p.x * p.x + p.y, p.x * p.y};
}
static double area(const std::array<double, 3> &s) {
  return s[0] * s[1] * s[2];
}

int main() {
  std::vector<double> x{1, 2, 3};
  verso::Matrix<double> j = verso::jacrev(rotate)(x, verso::constant(2));
  CHECK(j.rows() == 4 && j.cols() == 3);
  const double expected[4][3] = {{4, 2, 0}, {0, 6, 4}, {6, 0, 2}, {1, 0, 0}};
  for (int i = 0; i != 4; ++i)
    for (int k = 0; k != 3; ++k)
      CHECK_EQUAL(j(i, k), expected[i][k]);
  CHECK(j.row(2).size() == 3 && j.row(2)[2] == 2);

  auto k = verso::jacrev(polar)(Point{2, 3});
  CHECK(k(0, 0) == 4 && k(0, 1) == 1 && k(1, 0) == 3 && k(1, 1) == 2);

  auto row = verso::jacobian(area)(std::array<double, 3>{2, 3, 4});
  CHECK(row.rows() == 1 && row.cols() == 3);
  CHECK(row(0, 0) == 12 && row(0, 1) == 8 && row(0, 2) == 6);
  CHECK_EQUAL(verso::jacobian([](double t) { return t * t; })(3)(0, 0), 6);

  // The second derivative: the Jacobian of a gradient.
  auto h = verso::jacrev(verso::grad(verso::fn<area>))(
      std::array<double, 3>{2, 3, 4});
  CHECK(h.rows() == 3 && h(0, 0) == 0 && h(0, 1) == 4 && h(1, 2) == 2 &&
        h(2, 0) == 3);
  return check_status();
}
