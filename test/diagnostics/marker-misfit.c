//===- marker-misfit.c - markers that do not fit their arguments ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An integer cannot be duplicated, a pointer cannot be returned as a
// derivative.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s

extern int verso_dup, verso_out;
double __verso_grad(void *, ...);

static double power(double x, int n) { return n > 1 ? x * x : x; }
static double first(const double *x) { return x[0]; }

double duplicated_integer(double x) {
  // CHECK: marker-misfit.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}verso_dup
  return __verso_grad(power, x, verso_dup, 2, 3);
}
double pointer_out(const double *x) {
  // CHECK: marker-misfit.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}verso_out
  return __verso_grad(first, verso_out, x);
}
// CHECK-NOT: Stack dump
