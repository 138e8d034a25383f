//===- equal-requests.c - one function for equal requests -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM unrolls loops that make requests, and inlines functions that do: what is
// one request in the source has one function, whatever it is given. Operands
// that are the same, or constants, are part of a request.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -g -S -emit-llvm %s -o %t.ll
// RUN: FileCheck %s < %t.ll
// RUN: %clang_verso -O2 -mllvm -verso-strategy=taped -S -emit-llvm %s -o %t.taped.ll
// RUN: FileCheck %s < %t.taped.ll
// RUN: %clang_verso -O2 -g %s -o %t %verso_libs
// RUN: %t
// RUN: %clang_verso -O2 -mllvm -verso-strategy=taped %s -o %t.taped %verso_libs
// RUN: %t.taped
// RUN: env VERSO_OPTIONS=-verso-check %clang_verso -O2 -g %s -o %t.check %verso_libs
// RUN: %t.check

// CHECK: define internal {{.*}}@verso.gradient.unrolled{{[.0-9a-z]*}}(
// CHECK-NOT: define internal {{.*}}@verso.gradient.unrolled(
// CHECK-NOT: define internal {{.*}}@verso.gradient.unrolled.{{[0-9]+}}(

#include <stdio.h>

void __verso_grad_void(void *, ...);
double __verso_jvp(void *, ...);
extern int verso_dup, verso_const;

static double unrolled(const double *x, int n) {
  double product = 1;
  for (int i = 0; i < n; ++i)
    product *= x[i];
  return product;
}
static double two(const double *x, const double *y) { return x[0] * y[0] * y[0]; }
static double power(const double *x, int n) {
  double result = 1;
  for (int i = 0; i < n; ++i)
    result *= *x;
  return result;
}

static int status;
static void check(const char *what, double got, double expected) {
  if (got == expected)
    return;
  printf("%s: %g, not %g\n", what, got, expected);
  status = 1;
}

static inline double slope(const double *x, double *dx, const double *y,
                           double *dy) {
  __verso_grad_void((void *)two, verso_dup, x, dx, verso_dup, y, dy);
  return dx[0];
}

int main(void) {
  double x[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {2, 4, 8}};
  double dx[4][3] = {{0}};
  for (int i = 0; i < 4; ++i)
    __verso_grad_void((void *)unrolled, verso_dup, x[i], dx[i], verso_const, 3);
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k)
      check("unrolled", dx[i][k], x[i][(k + 1) % 3] * x[i][(k + 2) % 3]);
  // The same line, with one array and with two.
  double a = 3, b = 5, da = 0, db = 0, dc = 0;
  check("two arrays", slope(&a, &da, &b, &db), 25);
  check("the second", db, 30);
  check("one array", slope(&a, &dc, &a, &dc), 27);
  // Constants that differ.
  double expected[] = {0, 1, 6, 27};
  for (int n = 0; n < 4; ++n) {
    double d = 0;
    __verso_grad_void((void *)power, verso_dup, &a, &d, verso_const, n);
    check("power", d, expected[n]);
  }
  // Tangents that differ, some of them constants.
  double along = 0;
  for (int k = 0; k < 3; ++k) {
    double t[3] = {k == 0, k == 1, k == 2};
    along += (k + 1) * __verso_jvp((void *)unrolled, verso_dup, x[0], t,
                                   verso_const, 3);
  }
  check("tangents", along, 6 + 2 * 3 + 3 * 2);
  return status;
}
