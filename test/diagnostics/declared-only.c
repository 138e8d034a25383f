//===- declared-only.c - a request for a function without a body ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function itself is only declared: an error at the request.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s

double __verso_grad(void *, ...);
double mystery(double);

double slope(double x) {
  // CHECK: declared-only.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}mystery
  return __verso_grad(mystery, x);
}
// CHECK-NOT: Stack dump
