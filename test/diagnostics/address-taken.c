//===- address-taken.c - entry points are called, nothing else ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each use is reported once, those in initial values of variables included.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O0 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -O2 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s

double __verso_grad(void *, ...);
double call(double (*)(void *, ...), double);

struct table {
  int n;
  double (*entry)(void *, ...);
} table = {1, __verso_grad};

double slope(double x) {
  // CHECK-DAG: error: the address of '__verso_grad' is taken, in the global variable 'table'; an entry point can only be called
  // CHECK-DAG: address-taken.c:[[@LINE+1]]:{{[0-9]+}}: error: the address of '__verso_grad' is taken, in 'slope'{{.*}}; an entry point can only be called
  return call(__verso_grad, x);
}
// CHECK: 2 errors generated
