//===- not-a-function.c - a request whose operand is no function ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that is known only at run time, and data instead of a function.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s

double __verso_grad(void *, ...);

double data;

double of_parameter(double (*f)(double), double x) {
  // CHECK: not-a-function.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}function
  return __verso_grad(f, x);
}
double of_data(double x) {
  // CHECK: not-a-function.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}function
  return __verso_grad(&data, x);
}
// CHECK-NOT: Stack dump
