//===- accumulate.c - a gradient is added to the shadow -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shadow of an argument that is only read keeps what was in it; a second
// request adds again. Cells that the function does not touch are left alone.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

static double f(const double *x) { return x[0] * x[0] * x[2]; }

int main(void) {
  double x[] = {2, 3, 5, 7}, dx[] = {10, 20, 30, 40};
  __verso_grad_void(f, verso_dup, x, dx);
  CHECK_EQUAL(dx[0], 10 + 20);
  CHECK_EQUAL(dx[1], 20);
  CHECK_EQUAL(dx[2], 30 + 4);
  CHECK_EQUAL(dx[3], 40);
  __verso_grad_void(f, x, dx); // Pointers are `dup` by default.
  CHECK_EQUAL(dx[0], 10 + 40);
  CHECK_EQUAL(dx[2], 30 + 8);
  return check_status();
}
