//===- too-many-arguments.c - a request with an argument too many ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function takes one number and the request gives three: nothing is dropped
// in silence.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s

double __verso_grad(void *, ...);

static double square(double x) { return x * x; }

double slope(double x) {
  // CHECK: too-many-arguments.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}argument
  return __verso_grad(square, x, x, x);
}
// CHECK-NOT: Stack dump
