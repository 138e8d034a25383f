//===- missing-body.c - a callee that nobody has defined ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The error stands at the call in the user's code, names the function that has
// no body, the calls that lead there, and what can be done.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O1 -gline-tables-only -c %s -o %t.o 2> %t.1
// RUN: FileCheck %s < %t.1
// RUN: FileCheck --check-prefix=CHAIN %s < %t.1
// RUN: not %clang_verso -O0 -gline-tables-only -c %s -o %t.o 2> %t.0
// RUN: FileCheck %s < %t.0
// RUN: FileCheck --check-prefix=CHAIN %s < %t.0

double __verso_grad(void *, ...);
double mystery(double);

__attribute__((noinline)) static double inner(double x) {
  // CHECK: missing-body.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}mystery
  return mystery(x) * x;
}
__attribute__((noinline)) static double outer(double x) { return inner(x) + 1; }
// CHAIN-DAG: inner
// CHAIN-DAG: outer
// CHAIN-DAG: verso_inactive
double slope(double x) { return __verso_grad(outer, x); }
// CHECK-NOT: Stack dump
