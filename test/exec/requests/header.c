//===- header.c - Verso's own header in C ---------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that includes verso/verso.h instead of declaring anything itself.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.h"

static double square(double x) { return x * x; }
static double sum(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * (i + 1);
  return s;
}
static double indirect(double *const *cells) { return cells[0][0] * 5; }

int main(void) {
  CHECK_EQUAL(__verso_grad((void *)square, 3.0), 6);
  double x[] = {1, 2}, dx[] = {0, 0};
  CHECK_EQUAL(
      __verso_value_and_grad((void *)sum, verso_dup, x, dx, verso_const, 2), 5);
  CHECK_EQUAL(dx[1], 2);
  double *cells[] = {x};
  verso_watch(x, sizeof x);
  __verso_grad((void *)indirect, verso_const, cells);
  CHECK_EQUAL(*(double *)verso_adjoint_of(x), 5);
  return check_status();
}
