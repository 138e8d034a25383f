//===- numbers-across-calls.c - sums that wait in memory ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum that a loop adds to behind a call is loaded there, and no phi is kept
// across the call. A loop without a call keeps its sum in a register.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -S -emit-llvm %s -o - | FileCheck %s

double exp(double), log(double);
extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static double across(const double *x, long n) {
  double sum = 0;
  for (long i = 0; i < n; ++i)
    sum += exp(x[i]);
  return log(sum);
}
// CHECK-LABEL: define internal void @verso.gradient.across(
// CHECK: [[SUM:%.*]] = alloca double
// CHECK-NOT: phi double
// CHECK: [[EXP:%.*]] = {{.*}}call double @exp(
// CHECK: [[OLD:%.*]] = load double, ptr [[SUM]]
// CHECK: [[NEW:%.*]] = fadd double [[OLD]], [[EXP]]
// CHECK: store double [[NEW]], ptr [[SUM]]
// CHECK: br i1
void ask_across(double *x, double *dx, long n) {
  __verso_grad_void((void *)across, verso_dup, x, dx, verso_const, n);
}

static double before(const double *x, long n) {
  double sum = 0;
  for (long i = 0; i < n; ++i)
    sum += x[i] * x[i];
  return log(sum);
}
// CHECK-LABEL: define internal void @verso.gradient.before(
// CHECK-NOT: alloca double
// CHECK: ret void
void ask_before(double *x, double *dx, long n) {
  __verso_grad_void((void *)before, verso_dup, x, dx, verso_const, n);
}

// What is used after its next value is known waits in a register.
static void later(const double *restrict x, double *restrict y, long n) {
  double old = 1;
  for (long i = 0; i < n; ++i) {
    double next = exp(x[i]);
    y[i] = next - old;
    old = next;
  }
}
// CHECK-LABEL: define internal void @verso.gradient.later(
// CHECK-NOT: alloca double
// CHECK: call double @exp(
// CHECK: ret void
void ask_later(double *x, double *dx, double *y, double *dy, long n) {
  __verso_grad_void((void *)later, verso_dup, x, dx, verso_dup, y, dy,
                    verso_const, n);
}
