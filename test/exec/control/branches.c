//===- branches.c - nested branches and conditional values ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branches in branches, conditional expressions that become selects, short-
// circuit conditions, and the two sides writing the same variable.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double piecewise(double x) {
  double y;
  if (x > 0) {
    if (x > 1)
      y = x * x;
    else
      y = 2 * x - 1;
  } else if (x < -1) {
    y = -x * x * x;
  } else {
    y = x;
  }
  return x > 2 ? y * 3 : y;
}
CHECK_NOINLINE static double clamp(double x, double low, double high) {
  double y = x < low ? low : x;
  return y > high ? high : y;
}
CHECK_NOINLINE static double guarded(double x, const double *table, int n) {
  int i = (int)x;
  if (i >= 0 && i < n && table[i] > 0)
    return table[i] * x;
  return -x;
}
CHECK_NOINLINE static double without_branch(double x) {
  return (x > 1) * x + (x <= 1) * (x * x);
}

struct three {
  double x, low, high;
};
struct three __verso_grad_three(void *, ...);

int main(void) {
  CHECK_EQUAL(__verso_grad(piecewise, 3.0), 18);
  CHECK_EQUAL(__verso_grad(piecewise, 1.5), 3);
  CHECK_EQUAL(__verso_grad(piecewise, 0.5), 2);
  CHECK_EQUAL(__verso_grad(piecewise, -0.5), 1);
  CHECK_EQUAL(__verso_grad(piecewise, -2.0), -12);
  for (double x = -1; x <= 3; x += 1) {
    struct three g = __verso_grad_three(clamp, x, 0.5, 1.5);
    CHECK_EQUAL(g.x, x >= 0.5 && x <= 1.5);
    CHECK_EQUAL(g.low, x < 0.5);
    CHECK_EQUAL(g.high, x > 1.5);
  }
  double table[] = {2, -3, 4};
  CHECK_EQUAL(__verso_grad(guarded, 0.5, verso_const, table, 3), 2);
  CHECK_EQUAL(__verso_grad(guarded, 1.5, verso_const, table, 3), -1);
  CHECK_EQUAL(__verso_grad(guarded, 2.5, verso_const, table, 3), 4);
  CHECK_EQUAL(__verso_grad(guarded, 3.5, verso_const, table, 3), -1);
  CHECK_EQUAL(__verso_grad(without_branch, 3.0), 1);
  CHECK_EQUAL(__verso_grad(without_branch, 0.25), 0.5);
  return check_status();
}
