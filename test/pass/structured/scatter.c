//===- scatter.c - the reverse of a stencil vectorises ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cells that three iterations add to are loaded and stored once: what they are
// to get travels from iteration to iteration. Where the cells are far apart, each
// of the additions gets a loop of its own; the last one clears dy. The sum that
// the reverse makes of a factor that all iterations share is open to the
// vectoriser; no flag is left of that.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O3 -mavx2 -S -emit-llvm %s -o - | FileCheck %s
// LLVM 19 has no place after its vectorisers where the flag could go again.
// RUN: %if llvm22 %{ %clang_verso -O3 -mavx2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=SUM %}

extern int verso_dup, verso_const, verso_out;
void __verso_grad_void(void *, ...);
double __verso_grad(void *, ...);

static void stencil(const double *restrict x, double *restrict y, int n) {
  for (int i = 1; i + 1 < n; ++i)
    y[i] = x[i - 1] + 0.5 * x[i] * x[i + 1];
}

// CHECK-LABEL: define internal void @verso.gradient.stencil(
// CHECK-NOT: reassoc
// CHECK: store <4 x double> zeroinitializer
// CHECK: shufflevector <4 x double>
// CHECK: fadd {{(nsz )?}}contract <4 x double>
// CHECK: shufflevector <4 x double>
// CHECK: fadd {{(nsz )?}}contract <4 x double>
// CHECK: load <4 x double>
// CHECK: store <4 x double>
// CHECK-NOT: store <4 x double>
// CHECK: {{^}}}
void gradient(const double *x, double *dx, double *y, double *dy, int n) {
  __verso_grad_void(stencil, verso_dup, x, dx, verso_dup, y, dy, verso_const, n);
}

static void far(const double *restrict x, double *restrict y, int n) {
  for (int i = 0; i + 24 < n; ++i)
    y[i] = x[i] + 0.5 * x[i + 12] * x[i + 24];
}

// CHECK-LABEL: define internal void @verso.gradient.far(
// CHECK-NOT: reassoc
// CHECK: fmul {{.*}}<4 x double>
// CHECK: fadd {{(nsz )?}}contract <4 x double>
// CHECK-NOT: zeroinitializer
// CHECK: store <4 x double>
// CHECK-NOT: zeroinitializer
// CHECK: fmul {{.*}}<4 x double>
// CHECK: fadd {{(nsz )?}}contract <4 x double>
// CHECK-NOT: zeroinitializer
// CHECK: store <4 x double>
// CHECK: store <4 x double> zeroinitializer
// CHECK: fadd {{(nsz )?}}contract <4 x double>
// CHECK: store <4 x double>
// CHECK: {{^}}}
void gradient_far(const double *x, double *dx, double *y, double *dy, int n) {
  __verso_grad_void(far, verso_dup, x, dx, verso_dup, y, dy, verso_const, n);
}

static void scale(double a, double *restrict y, const double *restrict x, int n) {
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}

// SUM-LABEL: define internal double @verso.gradient.scale(
// SUM-NOT: reassoc
// SUM: phi <4 x double>
// SUM: fadd {{(nsz )?}}contract <4 x double>
// SUM: call {{.*}}double @llvm.vector.reduce.fadd.v4f64
// SUM-NOT: reassoc
// SUM: {{^}}}
double slope(double a, double *y, double *dy, const double *x, int n) {
  return __verso_grad(scale, verso_out, a, verso_dup, y, dy, verso_const, x, n);
}
