//===- last-choices.c - what loops chose last -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a running minimum the loop is not reversed; the iteration that chose last
// is, behind its number. So no condition is recorded.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | FileCheck %s

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);
double exp(double);

static double least(const double *x, int n) {
  double best = x[0];
  for (int k = 1; k < n; ++k)
    if (x[k] < best)
      best = x[k];
  return best;
}
void of_least(const double *x, double *dx, int n) {
  __verso_grad_void(least, verso_dup, x, dx, verso_const, n);
}

// CHECK-LABEL: define internal void @verso.gradient.least(
// CHECK-NOT: @__verso_arena_take(
// CHECK: %[[SMALLER:.+]] = fcmp olt double
// CHECK: select i1 %[[SMALLER]], i64
// CHECK: icmp eq i64
// CHECK-NOT: fcmp
// CHECK-COUNT-2: fadd

/// Every minimum there was counts.
static double sum_of_least(const double *x, int n) {
  double best = x[0], sum = 0;
  for (int k = 1; k < n; ++k) {
    if (x[k] < best)
      best = x[k];
    sum += best;
  }
  return sum;
}
void of_sum(const double *x, double *dx, int n) {
  __verso_grad_void(sum_of_least, verso_dup, x, dx, verso_const, n);
}

// CHECK-LABEL: define internal void @verso.gradient.sum_of_least(
// CHECK: @__verso_arena_take(
// CHECK: ret void
