//===- computed-steps.c - inductions whose step is computed ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index that grows by what was computed before the loop is computed again,
// not recorded; one that grows by what is read is.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | FileCheck %s

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static double computed(const double *x, long n, long stride) {
  double s = 0;
  for (long i = 0; i < n; i += 2 * stride + 1)
    s += x[i] * x[i];
  return s;
}
void of_computed(const double *x, double *dx, long n, long stride) {
  __verso_grad_void(computed, verso_dup, x, dx, verso_const, n, verso_const,
                    stride);
}

// CHECK-LABEL: define internal void @verso.gradient.computed(
// CHECK-NOT: @__verso_arena_take(
// CHECK: ret void

static double is_read(const double *x, long n, const long *stride) {
  double s = 0;
  for (long i = 0; i < n; i += stride[i])
    s += x[i] * s;
  return s;
}
void of_read(const double *x, double *dx, long n, const long *stride) {
  __verso_grad_void(is_read, verso_dup, x, dx, verso_const, n, verso_const,
                    stride);
}

// CHECK-LABEL: define internal void @verso.gradient.is_read(
// CHECK: @__verso_arena_take(
// CHECK: ret void
