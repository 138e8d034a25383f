//===- conventions.c - kinks and poles ------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At a pole a zero adjoint gives zero, not NaN; at a kink the derivative is one
// of the subgradients; at a tie of max or min the parts add up to one.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct two {
  double x, y;
};
struct two __verso_grad_two(void *, ...);

static double root_unused(double x, double weight) { return sqrt(x) * weight; }
static double root_hidden(double x) { return fmax(sqrt(x), 1); }
static double power_unused(double x, double weight) {
  return pow(x, 0.5) * weight + pow(x, -1.5) * 0;
}
static double log_unused(double x, int use) {
  double l = log(x);
  return use ? l : x;
}
static double square(double x) { return pow(x, 2); }
static double power(double x, double y) { return pow(x, y); }
static double absolute(double x) { return fabs(x); }
static double larger(double x, double y) { return fmax(x, y); }
static double smaller(double x, double y) { return fmin(x, y); }
static double hidden_division(double x, double y) {
  double ratio = x / y; // 0 / 0 at the origin, and not selected.
  return y == 0 ? x : ratio;
}

int main(void) {
  CHECK_EQUAL(__verso_grad(root_unused, 0.0, verso_const, 0.0), 0);
  CHECK_EQUAL(__verso_grad(root_hidden, 0.0), 0);
  // 0 to the power of -1.5 times 0 is NaN; only its derivative is asked for
  // where the primal is finite.
  CHECK_EQUAL(__verso_grad(power_unused, 4.0, verso_const, 0.0), 0);
  CHECK_EQUAL(__verso_grad(log_unused, 0.0, 0), 1);
  CHECK_EQUAL(__verso_grad(square, 0.0), 0);
  CHECK_EQUAL(__verso_grad(square, -3.0), -6);
  struct two g = __verso_grad_two(power, 0.0, 2.0);
  CHECK_EQUAL(g.x, 0);
  CHECK_EQUAL(g.y, 0);
  g = __verso_grad_two(power, 0.0, 1.0);
  CHECK_EQUAL(g.x, 1);
  double slope = __verso_grad(absolute, 0.0);
  CHECK(slope >= -1 && slope <= 1);
  g = __verso_grad_two(larger, 2.0, 2.0);
  CHECK_EQUAL(g.x + g.y, 1);
  CHECK(g.x >= 0 && g.y >= 0);
  g = __verso_grad_two(smaller, 2.0, 2.0);
  CHECK_EQUAL(g.x + g.y, 1);
  CHECK(g.x >= 0 && g.y >= 0);
  g = __verso_grad_two(hidden_division, 0.0, 0.0);
  CHECK_EQUAL(g.x, 1);
  CHECK_EQUAL(g.y, 0);
  return check_status();
}
