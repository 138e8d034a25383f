//===- along-itself.c - the tangent is the argument ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The derivative of a function of degree n along its own argument is n times
// the function (Euler), so memory that is only read may be its own tangent.
//
//===----------------------------------------------------------------------===//

#include "forward.h"

CHECK_NOINLINE static double cubic(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i] * x[(i + 1) % n];
  return sum;
}

int main(void) {
  double x[3] = {1, -2, 0.5};
  CHECK_CLOSE(__verso_jvp(cubic, verso_dup, x, x, 3), 3 * cubic(x, 3), 1e-15);
  CHECK_EQUAL(x[1], -2);
  return check_status();
}
