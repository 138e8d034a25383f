//===- blended-pointers.c - one of two addresses, by a mask ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// (p & m) | (q & ~m), where m has all bits or none, in a function that is not
// inlined: the shadow is that of the pointer that is left.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>

double __verso_jvp(void *, ...);

CHECK_NOINLINE static double *blend(double *p, double *q, uintptr_t m) {
  return (double *)(((uintptr_t)p & m) | ((uintptr_t)q & ~m));
}
CHECK_NOINLINE static double f(double *x, double *y, uintptr_t m) {
  double *r = blend(x, y, m);
  return r[0] * r[0] * r[1];
}

int main(void) {
  for (volatile int takesX = 0; takesX < 2; ++takesX) {
    const uintptr_t m = takesX ? ~(uintptr_t)0 : 0;
    double x[2] = {3, 5}, dx[2] = {0}, y[2] = {7, 2}, dy[2] = {0};
    __verso_grad_void((void *)f, verso_dup, x, dx, verso_dup, y, dy,
                      verso_const, m);
    CHECK_EQUAL(dx[0], takesX ? 30 : 0);
    CHECK_EQUAL(dx[1], takesX ? 9 : 0);
    CHECK_EQUAL(dy[0], takesX ? 0 : 28);
    CHECK_EQUAL(dy[1], takesX ? 0 : 49);
    double tx[2] = {1, 0}, ty[2] = {0, 1};
    CHECK_EQUAL(__verso_jvp((void *)f, verso_dup, x, tx, verso_dup, y, ty,
                            verso_const, m),
                takesX ? 30 : 49);
  }
  return check_status();
}
