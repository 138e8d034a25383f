//===- cells-of-changing-kind.c - what a cell held and holds --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cells of the user that are overwritten after they were read: the returned
// value stays the old cell's, also where the new value has another size or was
// cleared in pieces before. Each of these was once wrong in silence.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_vjp(void *, ...);

CHECK_NOINLINE static double old_value(double *x) {
  double r = x[0];
  x[0] = 5 * x[1];
  return r;
}
CHECK_NOINLINE static void widened(void *cells, double y) {
  union {
    float f;
    double d;
  } *u = cells;
  u->f = 1.5f * (float)y;
  double t = u->f;
  u->d = t * t * y;
}
CHECK_NOINLINE static void in_pieces(double *x, const double *y) {
  volatile unsigned short *p = (void *)x;
  p[0] = p[1] = p[2] = p[3] = 0;
  x[0] += 2 * y[0];
}

int main(void) {
  double x[] = {2, 3}, dx[] = {0, 0};
  __verso_grad_void(old_value, verso_dup, x, dx);
  CHECK_EQUAL(dx[0], 1);
  CHECK_EQUAL(dx[1], 0);

  double cell = 0, seed = 1;
  CHECK_EQUAL(__verso_vjp(widened, verso_dup, &cell, &seed, 2.0), 27);
  CHECK_EQUAL(seed, 0);

  double z[] = {7}, dz[] = {10}, y[] = {3}, dy[] = {0};
  __verso_vjp_void(in_pieces, verso_dup, z, dz, verso_dup, y, dy);
  CHECK_EQUAL(z[0], 6);
  CHECK_EQUAL(dz[0], 0);
  CHECK_EQUAL(dy[0], 20);
  return check_status();
}
