//===- jacobian-by-columns.cpp - Jacobians in forward mode ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// verso::jacfwd gives what verso::jacrev gives, and verso::jacobian does,
// whatever the shape: for one, a few, and more columns than a request has.
//
//
// AddressSanitizer's own shadow leaves no room for so many windows.
// REQUIRES: unsanitized
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.hpp"

using Vector = std::vector<double>;

/// Takes n numbers to m.
static Vector mixed(const Vector &x, int m, double c) {
  Vector y(m);
  for (int i = 0; i != m; ++i)
    for (std::size_t j = 0; j != x.size(); ++j)
      y[i] += c * std::sin(x[j] * (i + 1)) * x[(i + j) % x.size()];
  return y;
}
static std::array<float, 3> curve(double t) {
  return {static_cast<float>(t), static_cast<float>(t * t), 7};
}
struct Point {
  double x;
  float y;
};
static Point turned(const Point &p) {
  return {p.x * p.x + p.y, static_cast<float>(p.x * p.y)};
}
static double area(const std::array<double, 3> &s) {
  return s[0] * s[1] * s[2];
}

int main() {
  for (int n : {1, 3, 8, 19})
    for (int m : {1, 4, 30}) {
      Vector x;
      for (int j = 0; j != n; ++j)
        x.push_back(0.2 * j + 0.3);
      auto forward = verso::jacfwd(mixed)(x, m, verso::constant(2.0));
      auto reverse = verso::jacrev(mixed)(x, m, verso::constant(2.0));
      auto either = verso::jacobian(mixed)(x, m, verso::constant(2.0));
      CHECK(forward.rows() == std::size_t(m) &&
            forward.cols() == std::size_t(n));
      for (int i = 0; i != m; ++i)
        for (int j = 0; j != n; ++j) {
          CHECK_CLOSE(forward(i, j), reverse(i, j), 1e-13);
          CHECK_CLOSE(either(i, j), reverse(i, j), 1e-13);
        }
    }
  auto c = verso::jacobian(curve)(3);
  CHECK(c.rows() == 3 && c.cols() == 1 && c(0, 0) == 1 && c(1, 0) == 6 &&
        c(2, 0) == 0);
  auto k = verso::jacfwd(turned)(Point{2, 3});
  CHECK(k(0, 0) == 4 && k(0, 1) == 1 && k(1, 0) == 3 && k(1, 1) == 2);
  auto row = verso::jacfwd(area)(std::array<double, 3>{2, 3, 4});
  CHECK(row.rows() == 1 && row(0, 0) == 12 && row(0, 1) == 8 && row(0, 2) == 6);
  return check_status();
}
