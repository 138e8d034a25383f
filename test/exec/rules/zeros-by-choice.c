//===- zeros-by-choice.c - a zero that a condition of its own chose --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where n says that m is x, and x happens to be zero, the cubic root of m * m * m
// is x: nothing is cut off (rules/CutOff.h), and the derivative is 1. Infinity
// times zero is not a number in reverse mode, but it may not be zero.
//
// UNCHECKED: forward mode takes infinity times a tangent of zero as zero
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <verso/verso.h>

static double given(double x, int n) {
  double m = 0;
  if (n == 2)
    m = x;
  return cbrt(m * m * m);
}
VERSO_STRATEGY(taped) static double given_taped(double x, int n) {
  double m = 0;
  if (n == 2)
    m = x;
  return cbrt(m * m * m);
}

int main(void) {
  volatile int n = 2;
  CHECK(__verso_grad(given, verso_out, 0.0, verso_const, n) != 0);
  CHECK(__verso_grad(given_taped, verso_out, 0.0, verso_const, n) != 0);
  CHECK_CLOSE(__verso_grad(given, verso_out, 0.5, verso_const, n), 1, 1e-14);
  CHECK_CLOSE(__verso_grad(given_taped, verso_out, 0.5, verso_const, n), 1,
              1e-14);
  return check_status();
}
