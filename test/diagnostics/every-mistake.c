//===- every-mistake.c - all mistakes of a file in one go -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An error does not hide the next one, and a right request beside them does not
// make an error.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s

extern int verso_dup;
double __verso_grad(void *, ...);

static double square(double x) { return x * x; }
static double product(double x, double y) { return x * y; }

double first(double x) {
  // CHECK: every-mistake.c:[[@LINE+1]]:{{[0-9]+}}: error:
  return __verso_grad(product, x);
}
// CHECK-NOT: every-mistake.c:[[@LINE+1]]
double right(double x) { return __verso_grad(square, x); }
double second(double x) {
  // CHECK: every-mistake.c:[[@LINE+1]]:{{[0-9]+}}: error:
  return __verso_grad(square, verso_dup, x);
}
