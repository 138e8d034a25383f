//===- in-place.c - arguments that are overwritten ------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An update in place seeds with the shadow of the new values and leaves there
// the adjoint of the old ones. A cell that ends as a constant loses its
// adjoint; one that is only read gains.
//
// LEVELS: O0 O0g O1 O2g O3 Os
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static void square_all(double *x, int n) {
  for (int i = 0; i < n; ++i)
    x[i] = x[i] * x[i];
}
static void overwrite(double *x) {
  x[0] = x[1] * 3;
  x[1] = 4;
}
static void repeated(double *x) {
  for (int i = 0; i < 10; ++i)
    x[0] = x[0] * x[1];
}
static double both(double *x) {
  x[0] *= 2;
  return x[0] * x[0];
}

int main(void) {
  double x[] = {1, 2, 3}, dx[] = {10, 100, 1000};
  __verso_vjp_void(square_all, verso_dup, x, dx, 3);
  CHECK_EQUAL(x[2], 9);
  CHECK_EQUAL(dx[0], 20);
  CHECK_EQUAL(dx[1], 400);
  CHECK_EQUAL(dx[2], 6000);

  double y[] = {5, 7}, dy[] = {11, 13};
  __verso_vjp_void(overwrite, verso_dup, y, dy);
  CHECK_EQUAL(y[0], 21);
  CHECK_EQUAL(y[1], 4);
  CHECK_EQUAL(dy[0], 0);
  CHECK_EQUAL(dy[1], 33);

  double z[] = {3, 2}, dz[] = {1, 0};
  __verso_vjp_void(repeated, verso_dup, z, dz);
  CHECK_EQUAL(z[0], 3 * 1024);
  CHECK_EQUAL(dz[0], 1024);
  CHECK_EQUAL(dz[1], 10 * 3 * 512);

  double w[] = {3}, dw[] = {0};
  __verso_grad_void(both, verso_dup, w, dw);
  CHECK_EQUAL(dw[0], 24);
  return check_status();
}
