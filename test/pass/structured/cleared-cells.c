//===- cleared-cells.c - nothing is added to a zero -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse of a store clears the cell, to which the loads before it add:
// there is no addition of 0.0, which would be one for the sign of a zero.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -S -emit-llvm %s -o - | FileCheck %s

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static void butterflies(double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n; ++i) {
    double t = 0.5 * y[i];
    y[i] = x[i] - t;
    x[i] = x[i] + t;
  }
}

// CHECK-LABEL: define internal void @verso.gradient.butterflies(
// CHECK-NOT: fadd {{.*}}, 0.0
// CHECK-NOT: fadd {{.*}}zeroinitializer
// CHECK: {{^}}}
void gradient(double *x, double *dx, double *y, double *dy, int n) {
  __verso_grad_void(butterflies, verso_dup, x, dx, verso_dup, y, dy,
                    verso_const, n);
}
