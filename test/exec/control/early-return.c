//===- early-return.c - returns from inside loops and recursion -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search by recursion that returns from the middle of a loop as soon as a
// branch has found something, so that the number of frames left at once varies.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static int search(const double *x, int depth, double budget,
                                 double *found) {
  if (budget <= 0)
    return 0;
  if (depth == 0) {
    *found = budget * budget;
    return 1;
  }
  for (int i = 0; i < 3; ++i) {
    double left = budget - x[depth * 3 + i] * x[depth * 3 + i];
    if (search(x, depth - 1, left, found))
      return 1;
  }
  return 0;
}
CHECK_NOINLINE static double best(const double *x, double budget) {
  double found = 0;
  if (!search(x, 2, budget, &found))
    return -budget;
  return found;
}
static double best_at(double *x) { return best(x, x[9]); }

int main(void) {
  // The first choices at depth 2 use up the budget.
  double x[] = {0, 0, 0, 2, 1.5, 0.5, 3, 1, 0.25, 2.25};
  double gradient[10] = {0};
  gradient[9] = __verso_grad(best, verso_dup, x, gradient, x[9]);
  CHECK_GRADIENT(best_at, 10, x, gradient, 1e-8);
  double none[10] = {0};
  CHECK_EQUAL(__verso_grad(best, verso_dup, x, none, -1.0), -1);
  return check_status();
}
