//===- computed-labels.c - jumps through tables and memory ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Labels whose address is taken in functions that are called twice, that keep
// the address for later, and that call themselves.
//
//===----------------------------------------------------------------------===//
// STRATEGY: structured

#include "../check.h"

/// Threaded code: each operation jumps to the next.
static double interpret(const unsigned char *code, const double *x) {
  static const void *const labels[] = {&&halt, &&square, &&add, &&next};
  double y = 1;
  int k = 0;
  goto *labels[*code];
square:
  y = y * y + x[k];
  goto *labels[*++code];
add:
  y += x[k] * x[k];
  goto *labels[*++code];
next:
  ++k;
  goto *labels[*++code];
halt:
  return y;
}
CHECK_NOINLINE static double twice(const double *x) {
  static const unsigned char first[] = {1, 3, 2, 1, 0}, second[] = {2, 1, 3, 0};
  return interpret(first, x) * interpret(second, x + 1);
}

/// The place to go on is kept in a variable, over a loop.
CHECK_NOINLINE static double resumed(const double *x, int n) {
  double sum = 0;
  void *where = &&even;
  for (int i = 0; i < n; ++i) {
    goto *where;
  even:
    sum += x[i] * x[i];
    where = &&odd;
    continue;
  odd:
    sum *= x[i];
    where = i % 3 ? &&even : &&odd;
  }
  return sum;
}

static double twice_at(double *x) { return twice(x); }
static double resumed_at(double *x) { return resumed(x, 6); }

int main(void) {
  double x[] = {0.5, -1.5, 2, 0.75, -0.25, 1.25}, dx[6] = {0};
  __verso_grad_void(twice, verso_dup, x, dx);
  CHECK_GRADIENT(twice_at, 6, x, dx, 1e-7);
  memset(dx, 0, sizeof dx);
  __verso_grad_void(resumed, verso_dup, x, dx, 6);
  CHECK_GRADIENT(resumed_at, 6, x, dx, 1e-7);
  memset(dx, 0, sizeof dx);
  __verso_grad_void(resumed, verso_dup, x, dx, 0);
  CHECK_EQUAL(dx[0], 0);
  return check_status();
}
