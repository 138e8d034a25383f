//===- inline-assembly.c - inline assembly on active values ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nobody knows what assembly does to a number, but for single instructions of
// arithmetic (exec/rules/processor-operations.c).
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -O0 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s

double __verso_grad(void *, ...);

static double doubled(double x) {
  double y = x;
  // CHECK: inline-assembly.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}assembly
  __asm__("addsd %0, %0\n\tmulsd %0, %0" : "+x"(y));
  return y;
}

double slope(double x) { return __verso_grad(doubled, x); }
// CHECK-NOT: Stack dump
