//===- lacking-shadows.c - loops whose memory has shadows -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointers that were read from a structure may be their own shadows. A reversed
// loop asks that when it is entered, and vectorises if none is. So does a loop
// over rows, whose pointers are read behind a branch that ends the program.
//
//===----------------------------------------------------------------------===//

// REQUIRES: llvm22
// RUN: %clang_verso -O3 -mavx2 -mfma -fno-discard-value-names -S -emit-llvm %s \
// RUN:   -o - | FileCheck %s

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

struct fields {
  int n;
  double *c, *s;
};

static double dot(const struct fields *f) {
  double sum = 0;
  for (int i = 0; i < f->n; ++i)
    sum += f->c[i] * f->s[i];
  return sum;
}
// CHECK-LABEL: define internal void @verso.gradient.dot(
// CHECK: br i1 {{.*}}, label %{{.*}}.lacking
// CHECK: fadd{{.*}} <4 x double>
// CHECK: store <4 x double>
// CHECK: store <4 x double>
// CHECK: {{^}}}
void of_dot(struct fields *f, struct fields *d) {
  __verso_grad_void((void *)dot, verso_dup, f, d);
}

static void smooth(double **u, double **v, int n, int steps) {
  for (int t = 0; t < steps; ++t) {
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j)
        v[i][j] = u[i - 1][j] + u[i + 1][j] + u[i][j];
    double **w = u;
    u = v;
    v = w;
  }
}
// CHECK-LABEL: define internal void @verso.gradient.smooth(
// CHECK: br i1 {{.*}}, label %{{.*}}.lacking
// CHECK: fadd{{.*}} <4 x double>
// CHECK: store <4 x double>
// CHECK: {{^}}}
void of_smooth(double **u, double **du, double **v, double **dv, int n,
               int steps) {
  __verso_grad_void((void *)smooth, verso_dup, u, du, verso_dup, v, dv,
                    verso_const, n, verso_const, steps);
}
