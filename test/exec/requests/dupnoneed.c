//===- dupnoneed.c - an output whose value is not wanted ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `verso_dupnoneed` says that nobody reads the final value. What the function
// stores there and reads back itself must still be right.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

static void chain(const double *x, double *y, int n) {
  y[0] = x[0] * x[0];
  for (int i = 1; i < n; ++i)
    y[i] = y[i - 1] * x[i];
}

int main(void) {
  double x[] = {3, 5, 7}, dx[3] = {0}, y[3] = {0}, dy[] = {0, 0, 1};
  __verso_vjp_void(chain, verso_dup, x, dx, verso_dupnoneed, y, dy, 3);
  CHECK_EQUAL(dx[0], 2 * 3 * 35);
  CHECK_EQUAL(dx[1], 9 * 7);
  CHECK_EQUAL(dx[2], 9 * 5);
  return check_status();
}
