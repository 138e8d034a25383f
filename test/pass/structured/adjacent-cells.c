//===- adjacent-cells.c - cells that are added to at once
//------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of an object that an index from memory names are added to by vectors
// that start where the object does, whatever their contributions have in
// common.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -mavx2 -mfma -S -emit-llvm %s -o - | FileCheck %s

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static double rows(const double *x, const double *p, const int *at, int n) {
  double s = 0;
  for (int k = 0; k < n; ++k) {
    const double *a = x + 8 * at[k];
    double u = a[0] * p[0] + a[1] * p[1] + a[2] * p[2] + a[3];
    double v = a[4] * p[0] + a[5] * p[1] + a[6] * p[2] + a[7];
    s += u * v;
  }
  return s;
}

// CHECK-LABEL: define internal void @verso.gradient.rows(
// CHECK: insertelement <4 x double> {{.*}}double 1.000000e+00
// CHECK-COUNT-2: store <4 x double>
// CHECK-NOT: store {{(<2 x )?}}double
// CHECK: ret void
void gradient(double *x, double *dx, double *p, int *at, int n) {
  __verso_grad_void((void *)rows, verso_dup, x, dx, verso_const, p, verso_const,
                    at, verso_const, n);
}
