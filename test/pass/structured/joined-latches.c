//===- joined-latches.c - what only the next reversed iteration needs -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first iteration is given a constant, so the half that each hands back to
// the one before is computed behind the test whether there is one. It is
// computed before the test instead, and the loop vectorises.
//
//===----------------------------------------------------------------------===//

// REQUIRES: llvm22
// RUN: %clang_verso -O3 -mavx2 -mfma -fno-discard-value-names -S -emit-llvm %s \
// RUN:   -o - | FileCheck %s

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static void faces(const double *restrict u, double *restrict f, int n) {
  double last = 0;
  for (int i = 0; i < n; ++i) {
    double l = 0.5 * last, r = 0.25 * u[i];
    f[i] = (l - r) * 3 + __builtin_fabs(r);
    last = u[i];
  }
}
// CHECK-LABEL: define internal void @verso.gradient.faces(
// CHECK: {{^}}vector.body{{[0-9]*}}:
// CHECK: {{^}}vector.body{{[0-9]*}}:
// CHECK: %vector.recur{{[0-9]*}} = phi <4 x double>
// CHECK-NOT: {{^}}}
// CHECK: store <4 x double> zeroinitializer
// CHECK: {{^}}}
void gradient(double *u, double *du, double *f, double *df, int n) {
  __verso_grad_void((void *)faces, verso_dup, u, du, verso_dup, f, df,
                    verso_const, n);
}
