//===- left-out.c - reversed loops to which nothing comes -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse of a loop whose result may be thrown away runs only if its adjoint
// is not zero, and what it recorded is counted down at once. The reverse of a
// loop whose result is always needed asks nothing.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | FileCheck %s

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);
double exp(double);

static double cut(const double *x, int n, int m) {
  double total = 0;
  for (int k = 0; k < m; ++k) {
    double d = 0;
    for (int i = 0; i < n; ++i)
      d += exp(x[i] * k);
    total += d < 9 ? d : 9;
  }
  return total;
}
void of_cut(const double *x, double *dx, int n, int m) {
  __verso_grad_void(cut, verso_dup, x, dx, verso_const, n, verso_const, m);
}

static double sum(const double *x, int n, int m) {
  double total = 0;
  for (int k = 0; k < m; ++k) {
    double d = 0;
    for (int i = 0; i < n; ++i)
      d += exp(x[i] * k);
    total += d;
  }
  return total;
}
void of_sum(const double *x, double *dx, int n, int m) {
  __verso_grad_void(sum, verso_dup, x, dx, verso_const, n, verso_const, m);
}

// CHECK-LABEL: define internal void @verso.gradient.cut(
// CHECK: %[[CHOSEN:.+]] = select i1 {{.+}}, double {{.+}}, double -0.000000e+00
// CHECK: fcmp {{.*}} double %[[CHOSEN]], 0.000000e+00
// CHECK: br i1

// CHECK-LABEL: define internal void @verso.gradient.sum(
// CHECK-NOT: fcmp
// CHECK: ret void
