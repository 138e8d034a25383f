//===- function-out-of-several.c - a table with a hole --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request of a null pointer is an error, not one of another function. And of
// requests that share a function each is asked for its shadow.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O0 -gline-tables-only %s -o %t.O0 %verso_libs
// RUN: not %t.O0 2>&1 | FileCheck %s
// RUN: %clang_verso -O2 -gline-tables-only %s -o %t.O2 %verso_libs
// RUN: not %t.O2 2>&1 | FileCheck %s
// RUN: not %t.O0 shadow 2>&1 | FileCheck %s --check-prefix=SHADOW
// RUN: not %t.O2 shadow 2>&1 | FileCheck %s --check-prefix=SHADOW

// CHECK: 6 12
// CHECK: function-out-of-several.c:[[@LINE+12]]:{{[0-9]+}}: in 'of': the function of the request is a null pointer
// SHADOW: function-out-of-several.c:{{[0-9:]+}} in 'slope': the shadow of parameter 1 of 'product' is a null pointer

#include <stdio.h>
double __verso_grad(void *, ...);
void __verso_grad_void(void *, ...);
extern int verso_dup, verso_const;

static double square(double x) { return x * x; }
static double cube(double x) { return x * x * x; }
static double (*const table[])(double) = {square, 0, cube};
__attribute__((noinline)) static double of(int i, double x) {
  return __verso_grad((void *)table[i], x);
}
static double product(const double *x, int n) {
  double result = 1;
  for (int i = 0; i < n; ++i)
    result *= x[i];
  return result;
}
static inline void slope(const double *x, double *dx) {
  __verso_grad_void((void *)product, verso_dup, x, dx, verso_const, 2);
}

int main(int count, char **argument) {
  double x[2] = {2, 3}, dx[2] = {0, 0};
  slope(x, dx);
  slope(x, count > 1 ? 0 : dx);
  printf("%g %g\n", of(0, 3), of(count + 1, 2));
  fflush(stdout);
  printf("%g\n", of(count, 2));
  return 0;
}
