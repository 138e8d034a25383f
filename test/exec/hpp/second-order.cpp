//===- second-order.cpp - Hessians and Hessian-vector products ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward mode over reverse: verso::hvp and verso::hessian agree with reverse
// over reverse. Also forward over forward, and reverse over forward.
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

static double energy(const Vector &x) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i)
    sum += x[i] * x[i] * std::sin(x[i + 1]);
  return sum;
}
static double wave(double x) { return std::sin(x) * x * x; }
struct Pair {
  double a;
  std::array<double, 2> b;
};
static double of_pair(const Pair &p) { return p.a * p.a * p.b[0] * p.b[1]; }
static double scaled(const std::array<double, 2> &x, double c) {
  return c * x[0] * x[0] * x[1];
}

int main() {
  // More numbers than go into one request.
  Vector x, v;
  for (int i = 0; i != 11; ++i) {
    x.push_back(0.3 * i + 0.1);
    v.push_back(i % 3 - 0.75);
  }
  auto h = verso::hessian(verso::fn<energy>)(x);
  auto rows = verso::jacrev(verso::grad(verso::fn<energy>))(x);
  Vector hv = verso::hvp(verso::fn<energy>, x, v);
  CHECK(h.rows() == 11 && h.cols() == 11 && hv.size() == 11);
  for (int i = 0; i != 11; ++i) {
    double sum = 0;
    for (int j = 0; j != 11; ++j) {
      CHECK_CLOSE(h(i, j), rows(i, j), 1e-13);
      sum += rows(i, j) * v[j];
    }
    CHECK_CLOSE(hv[i], sum, 1e-13);
  }
  CHECK_CLOSE(h(0, 1), 2 * x[0] * std::cos(x[1]), 1e-13);

  double t = 0.8;
  const double second =
      2 * std::sin(t) + 4 * t * std::cos(t) - t * t * std::sin(t);
  CHECK_CLOSE(verso::hessian(verso::fn<wave>)(t)(0, 0), second, 1e-13);
  CHECK_CLOSE(verso::hvp(verso::fn<wave>, t, 2), 2 * second, 1e-13);

  Pair hp = verso::hvp(verso::fn<of_pair>, Pair{2, {3, 5}}, Pair{1, {10, 0}});
  CHECK_EQUAL(hp.a, 2 * 15 + 10 * 2 * 2 * 5);
  CHECK_EQUAL(hp.b[0], 2 * 2 * 5);
  CHECK_EQUAL(hp.b[1], 2 * 2 * 3 + 10 * 4);

  auto hc = verso::hessian(verso::fn<scaled>)(std::array<double, 2>{2, 3},
                                              verso::constant(10.0));
  CHECK(hc.rows() == 2 && hc(0, 0) == 60 && hc(0, 1) == 40 && hc(1, 1) == 0);

  auto slope = [](double u) {
    return verso::jvp(verso::fn<wave>, u, 1).tangent;
  };
  CHECK_CLOSE(verso::jvp(slope, t, 1).tangent, second, 1e-13);
  CHECK_CLOSE(verso::grad(slope)(t), second, 1e-13);
  return check_status();
}
