//===- late-stores.c - stores wait for the next recurrence ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both sides of a face are recorded. The left one comes from the iteration
// before; its column is written behind the load of what is handed on next, so
// the recto vectorises, as the program does.
//
//===----------------------------------------------------------------------===//

// REQUIRES: llvm22
// RUN: %clang_verso -O3 -mavx2 -mfma -fno-discard-value-names -S -emit-llvm %s \
// RUN:   -o - | FileCheck %s

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static void faces(double *restrict u, double *restrict f, int n, int steps) {
  for (int t = 0; t < steps; ++t) {
    double last = 0;
    for (int i = 0; i < n; ++i) {
      double l = 0.5 * last + 1, r = 0.25 * u[i];
      f[i] = (l * l - r * r) * l;
      last = u[i];
    }
    for (int i = 0; i < n; ++i)
      u[i] -= 0.1 * f[i];
  }
}
// CHECK-LABEL: define internal void @verso.gradient.faces(
// CHECK: {{^}}vector.body{{[0-9]*}}:
// CHECK-NOT: {{^[a-z]}}
// CHECK: %vector.recur{{[0-9]*}} = phi <4 x double> {{.*}} double 0.000000e+00>
// CHECK-NOT: {{^[a-z]}}
// CHECK: store <4 x double>
// CHECK: {{^}}}
void gradient(double *u, double *du, double *f, double *df, int n, int steps) {
  __verso_grad_void((void *)faces, verso_dup, u, du, verso_dup, f, df,
                    verso_const, n, verso_const, steps);
}
