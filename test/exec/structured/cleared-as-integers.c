//===- cleared-as-integers.c - numbers that a memset overwrites -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A memset of four or eight bytes is the store of an integer for LLVM. The seed
// of what it overwrites ends there, also where no number is ever read.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double clear(double *x, float *w) {
  double first = x[0];
  memset(x, 0, sizeof *x);
  memset(w + 1, 0, sizeof *w);
  return first * x[1];
}

int main(void) {
  double x[] = {3, 5}, dx[] = {7, 11};
  float w[] = {1, 2, 3}, dw[] = {1, 2, 3};
  __verso_grad_void(clear, verso_dup, x, dx, verso_dup, w, dw);
  CHECK_EQUAL(dx[0], 5);
  CHECK_EQUAL(dx[1], 11 + 3);
  CHECK_EQUAL(dw[0], 1);
  CHECK_EQUAL(dw[1], 0);
  CHECK_EQUAL(dw[2], 3);
  return check_status();
}
