//===- half-in-memory.c - two-byte numbers in memory ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The image of two bytes has no room for an ID, so an active half in memory is
// refused and never silently constant.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -mllvm -verso-strategy=taped -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -mllvm -verso-strategy=taped -O0 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s

void __verso_grad(void *, ...);
extern int verso_dup;

static float sum_of_squares(const _Float16 *x, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    // CHECK: half-in-memory.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}floating-point type
    sum += (float)x[i] * (float)x[i];
  return sum;
}

void slope(_Float16 *x, _Float16 *dx) {
  __verso_grad(sum_of_squares, verso_dup, x, dx, 3);
}
// CHECK-NOT: Stack dump
