//===- cannot-be-lowered.c - understood, and still impossible -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request that is part of the function that it is for.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -O0 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s

double __verso_grad(void *, ...);

double endless(double x) {
  // CHECK-DAG: cannot-be-lowered.c:[[@LINE+1]]:{{[0-9]+}}: error: the differentiated function makes this same request
  return x > 3 ? x : __verso_grad(endless, x);
}
// CHECK-NOT: Stack dump
