//===- deep-recursion.c - ten thousand frames -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursion deep enough that a sweep which recursed over frames itself, with
// frames of a few hundred bytes, would show.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double walk(double x, int depth) {
  return depth == 0 ? x : 0.5 * walk(x, depth - 1) + sin(x) / depth;
}

int main(void) {
  double slope = __verso_grad(walk, 0.3, 10000);
  // The recurrence in closed form: d(n) = d(n - 1) / 2 + cos(x) / n.
  double expected = 1;
  for (int n = 1; n <= 10000; ++n)
    expected = 0.5 * expected + cos(0.3) / n;
  CHECK_CLOSE(slope, expected, 1e-12);
  return check_status();
}
