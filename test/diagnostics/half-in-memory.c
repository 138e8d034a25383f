//===- half-in-memory.c - requests over two-byte numbers do not nest ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tape's runtime moves the adjoints of two-byte numbers in memory where an
// outer request cannot see it: that is refused, and never silently constant.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -mllvm -verso-strategy=taped -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -mllvm -verso-strategy=taped -O0 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s

double __verso_grad(void *, ...);
extern int verso_dup, verso_const;

static double sum_of_squares(double a, const _Float16 *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    // CHECK: half-in-memory.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}a request over two-byte numbers in memory inside a differentiated function
    sum += a * a * (float)x[i] * (float)x[i];
  return sum;
}

static double slope(double a, _Float16 *x, _Float16 *dx) {
  return __verso_grad(sum_of_squares, a, verso_dup, x, dx, 3);
}

double curvature(double a, _Float16 *x, _Float16 *dx) {
  return __verso_grad(slope, a, verso_const, x, verso_const, dx);
}
// CHECK-NOT: Stack dump
