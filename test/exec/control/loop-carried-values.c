//===- loop-carried-values.c - values that rotate through a loop ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several active values carried around a loop and permuted on the way, so that
// the phis of a loop header read each other.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double rotate(double a, double b, double c, int n) {
  for (int i = 0; i < n; ++i) {
    double old = a;
    a = b;
    b = c;
    c = old * 1.5 + b;
  }
  return a + 10 * b + 100 * c;
}
struct three {
  double a, b, c;
};
struct three __verso_grad_three(void *, ...);

int main(void) {
  for (int n = 0; n < 8; ++n) {
    // The function is linear, so its gradient is its value on the unit vectors.
    struct three g = __verso_grad_three(rotate, 1.0, 2.0, 3.0, n);
    CHECK_CLOSE(g.a, rotate(1, 0, 0, n), 1e-15);
    CHECK_CLOSE(g.b, rotate(0, 1, 0, n), 1e-15);
    CHECK_CLOSE(g.c, rotate(0, 0, 1, n), 1e-15);
  }
  return check_status();
}
