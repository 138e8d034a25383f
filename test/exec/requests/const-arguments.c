//===- const-arguments.c - what is marked constant does not vary ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A constant scalar has no place in the result; a constant array has no shadow.
// An active value that passes through constant memory keeps varying: it is the
// initial contents that are constant.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

static double affine(double x, double slope, const double *offset) {
  return slope * x + offset[0] * slope;
}
static double scratch(double x, double *space, int n) {
  space[0] = x;
  for (int i = 1; i < n; ++i)
    space[i] = space[i - 1] * x;
  return space[n - 1];
}

int main(void) {
  double offset[] = {7};
  CHECK_EQUAL(__verso_grad(affine, 2.0, verso_const, 3.0, verso_const, offset),
              3);
  CHECK_EQUAL(__verso_grad(affine, verso_const, 2.0, 3.0, verso_const, offset),
              9);
  double space[5];
  CHECK_EQUAL(__verso_grad(scratch, 2.0, verso_const, space, verso_const, 5),
              80);
  CHECK_EQUAL(space[4], 32);
  return check_status();
}
