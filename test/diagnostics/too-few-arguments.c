//===- too-few-arguments.c - a request with an argument missing -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function takes two numbers and the request gives one.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -O0 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s

extern int verso_out;
double __verso_grad(void *, ...);

static double product(double x, double y) { return x * y; }

double slope(double x) {
  // CHECK: too-few-arguments.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}argument
  return __verso_grad(product, verso_out, x);
}
// CHECK-NOT: Stack dump
