//===- adjacent-tangents.c - cells and their tangents at once -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward over reverse adds to cells and to their tangents in turn, which may
// be the same memory for all that is known; so do two objects. Additions to
// adjoints commute, so each gets its vectors all the same.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -mavx2 -mfma -fno-unroll-loops \
// RUN:   -mllvm -inline-threshold=0 -S -emit-llvm %s -o - | FileCheck %s

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);
void __verso_jvp_void(void *, ...);

static double rows(const double *x, const double *p, const int *at, int n) {
  double s = 0;
  for (int k = 0; k < n; ++k) {
    const double *a = x + 4 * at[k];
    double t = a[0] * p[0] + a[1] * p[1] + a[2] * p[2] + a[3] * p[3];
    s += t * t;
  }
  return s;
}

static void gradient(const double *x, double *dx, const double *p,
                     const int *at, int n) {
  __verso_grad_void((void *)rows, verso_dup, x, dx, verso_const, p, verso_const,
                    at, verso_const, n);
}

void products(double *x, double *tx, double *dx, double *tdx, double *p,
              int *at, int n) {
  __verso_jvp_void((void *)gradient, verso_dup, x, tx, verso_dup, dx, tdx,
                   verso_const, p, verso_const, at, verso_const, n);
  __verso_jvp_void((void *)gradient, verso_dup, x, tx + n, verso_dup, dx,
                   tdx + n, verso_const, p, verso_const, at, verso_const, n);
}

static double pairs(const double *x, const int *at, int n) {
  double s = 0;
  for (int k = 0; k < n; ++k) {
    const double *a = x + at[k], *b = x + at[n + k];
    s += a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  }
  return s;
}

// CHECK-LABEL: define internal void @verso.gradient.pairs(
// CHECK-COUNT-2: store <4 x double>
// CHECK-NOT: store {{(<. x )?}}double
// CHECK: {{^}}}
void of_pairs(double *x, double *dx, int *at, int n) {
  __verso_grad_void((void *)pairs, verso_dup, x, dx, verso_const, at,
                    verso_const, n);
}

// CHECK-LABEL: define internal void @gradient.tangent(
// CHECK-COUNT-2: store <4 x double>
// CHECK-NOT: store {{(<. x )?}}double
// CHECK: {{^}}}
