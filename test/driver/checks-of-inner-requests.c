//===- checks-of-inner-requests.c - -verso-check in nested requests -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an inner request computes is wrong in the process that asks for it and
// right in copies of it: the derivative that is given for a function differs.
// The outer request is judged as exactly as its numbers are, however many kinds
// of numbers the sweeps of the inner one know. The check of the inner one is
// never differentiated itself.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -g -mllvm -verso-check %s -o %t %verso_libs
// RUN: not %t 2>&1 | FileCheck %s
// RUN: %clang_verso -O2 -g -mllvm -verso-check -mllvm -verso-strategy=taped %s -o %t %verso_libs
// RUN: not %t 2>&1 | FileCheck %s
// CHECK: checks-of-inner-requests.c:[[#@LINE + 32]]:3: in 'main': -verso-check: the dot-product test fails
// RUN: %clang_verso -O2 -g -mllvm -verso-check %s -S -emit-llvm -o - | FileCheck --check-prefix=LEFT %s
// LEFT-NOT: define {{.*}}release{{.*}}twin

#include <math.h>
#include <unistd.h>
#include <verso/verso.h>

static int asking;
static double square(double x) { return x * x; }
static double square_x(double x) {
  return getpid() == asking ? 2.01 * x : 2 * x;
}
VERSO_DERIVATIVE(square, square_x);

static double inner(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += square(x[i]) * sin(x[i]);
  return s;
}
static double outer(const double *x, int n) {
  double g[4] = {0, 0, 0, 0}, s = 0;
  __verso_grad(inner, verso_dup, x, g, verso_const, n);
  for (int i = 0; i < n; ++i)
    s += g[i] * g[i];
  return s;
}

int main(void) {
  double x[4] = {1, 2, 3, 4}, d[4] = {0, 0, 0, 0};
  asking = getpid();
  __verso_grad(outer, verso_dup, x, d, verso_const, 4);
  return d[0] == 0;
}
