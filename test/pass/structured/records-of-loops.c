//===- records-of-loops.c - what loops record beside one another ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop around others, and one that records more than sixteen values, has one
// column of records. Two of an innermost loop are columns, which have unit
// strides.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang_verso -O1 -S -emit-llvm %s -DOUTER -o - | \
// RUN:   FileCheck %s --check-prefix=RECORDS
// RUN: %clang_verso -O1 -S -emit-llvm %s -DMANY -o - | \
// RUN:   FileCheck %s --check-prefix=RECORDS

#include <math.h>

extern int verso_dup;
void __verso_grad_void(void *, ...);

static double f(const double *x, int n, int m) {
  double a = x[0], b = x[1];
#ifdef MANY
  double c[9];
#pragma unroll
  for (int k = 0; k < 9; ++k)
    c[k] = x[k];
#endif
  for (int i = 0; i < n; ++i) {
#ifdef OUTER
#pragma nounroll
    for (int k = 0; k < m; ++k)
      a += x[k];
#endif
#ifdef MANY
#pragma unroll
    for (int k = 0; k < 9; ++k)
      c[k] = sin(c[k] * c[(k + 1) % 9]);
#else
    double s = sin(a * b);
    b = cos(a + b) * s;
    a = s;
#endif
  }
#ifdef MANY
#pragma unroll
  for (int k = 0; k < 9; ++k)
    a += c[k] * c[k];
#endif
  return a * b;
}

void request(double *x, double *dx, int n, int m) {
  __verso_grad_void((void *)f, verso_dup, x, dx, n, m);
}

// CHECK-LABEL: define internal void @verso.gradient.f(
// CHECK-COUNT-4: call noalias ptr @__verso_arena_take(
// RECORDS-LABEL: define internal void @verso.gradient.f(
// RECORDS: call noalias ptr @__verso_arena_take(
// RECORDS-NOT: call noalias ptr @__verso_arena_take(
