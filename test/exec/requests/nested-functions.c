//===- nested-functions.c - a request amid other computation --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests in a callee, in both branches of a condition, with arguments
// computed from other requests' results, inside loops whose other values stay
// as they were: lowering a request must not disturb its surroundings.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

static double f(double x) { return x * x * x / 3; }
static double g(double x) { return exp(x) - x; }

CHECK_NOINLINE static double newton(double x, double target, int which) {
  for (int i = 0; i < 50; ++i) {
    double value, slope;
    if (which) {
      value = f(x) - target;
      slope = __verso_grad(f, x);
    } else {
      value = g(x) - target;
      slope = __verso_grad(g, x);
    }
    x -= value / slope;
  }
  return x;
}

int main(void) {
  CHECK_CLOSE(newton(1, 9, 1), 3, 1e-14);
  CHECK_CLOSE(g(newton(1, 5, 0)), 5, 1e-14);
  CHECK_CLOSE(__verso_grad(f, __verso_grad(f, __verso_grad(f, 2.0))), 256,
              1e-14);
  return check_status();
}
