//===- replays.c - iterations that are run again in the verso -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where nobody needs the sum over the points, the only loop over them runs down,
// and nothing is kept of a point; its work array is written again. If the sum is
// needed, each point's exponential is recorded.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang_verso -O1 -S -emit-llvm -DRESULT="s * s" %s -o - \
// RUN:   | FileCheck %s --check-prefix=NEEDED
// RUN: %clang_verso -O1 -S -emit-llvm -DFIRST=1 %s -o - \
// RUN:   | FileCheck %s --check-prefix=NEEDED

#include <stddef.h>

#ifndef RESULT
#define RESULT s
#endif
#ifndef FIRST
#define FIRST 0
#endif

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);
double exp(double);

static double f(const double *x, size_t n) {
  double work[400] = {0};
  double s = 0;
  for (size_t p = 0; p < n; ++p) {
    for (size_t i = FIRST; i < 400; ++i)
      work[i] = x[p] * x[i];
    for (size_t i = 0; i < 400; ++i)
      s += exp(x[p] * work[i]);
  }
  return RESULT;
}

// CHECK-LABEL: define internal void @verso.gradient.f(
// CHECK-NOT: @__verso_arena_take
// CHECK: call double @exp(
// CHECK-NOT: @__verso_arena_take
// CHECK-NOT: call double @exp(
// CHECK: {{^}$}}

// NEEDED-LABEL: define internal void @verso.gradient.f(
// NEEDED: @__verso_arena_take

void request(double *x, double *dx, size_t n) {
  __verso_grad_void((void *)f, verso_dup, x, dx, verso_const, n);
}
