//===- squares.c - both factors of a square get the same -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The adjoint of x in 0.5 * x * x is x times the adjoint: one product, one sum.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -fno-vectorize -fno-unroll-loops -S -emit-llvm %s -o - | FileCheck %s

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static double halves(const double *x, const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i] * (0.5 * (x[i] * x[i]));
  return s;
}

// CHECK-LABEL: define internal void @verso.gradient.halves(
// CHECK-NOT: 5.000000e-01
// CHECK: fmul
// CHECK-NOT: fmul
// CHECK: fadd
// CHECK-NOT: {{fadd|fmul|5.000000e-01}}
// CHECK: ret void
void gradient(double *x, double *dx, double *a, int n) {
  __verso_grad_void((void *)halves, verso_dup, x, dx, verso_const, a,
                    verso_const, n);
}
