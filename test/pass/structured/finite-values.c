//===- finite-values.c - poles that cannot be met -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a number is divided by one that is away from zero, and where a bound
// keeps out what is infinite, no adjoint is compared with zero (but that of the
// maximum, for what it chose); where the bound is on the other side, or what is
// divided by is any number, it is.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | FileCheck %s

double pow(double, double), fabs(double), fmax(double, double);
extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static double divided(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double q = x[1] / (1e-3 * (1 + fabs(x[i]))), r = q / (1 + x[i] * x[i]);
    s += fmax(r * r, x[i]);
  }
  return s;
}
// CHECK-LABEL: define internal {{.*}} @verso.gradient.divided(
// CHECK: fcmp oeq
// CHECK-NOT: fcmp {{oeq|une}}
// CHECK: ret void
void ask_divided(double *x, double *dx, int n) {
  __verso_grad_void((void *)divided, verso_dup, x, dx, verso_const, n);
}

static double any(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double q = x[1] / (1 - fabs(x[i]));
    s += fmax(q * q, x[i]);
  }
  return s;
}
// CHECK-LABEL: define internal {{.*}} @verso.gradient.any(
// CHECK-COUNT-3: fcmp {{oeq|une}} double {{.*}}, 0.000000e+00
// CHECK: ret void
void ask_any(double *x, double *dx, int n) {
  __verso_grad_void((void *)any, verso_dup, x, dx, verso_const, n);
}

// The power itself has a test, and what is computed from it has none.
static double bounded(const double *x) {
  double f = pow(fabs(x[0]), -0.2);
  f = f > 5 ? 5 : f;
  double p = x[1] * f, q = p * p * x[2];
  return fmax(q, x[1]);
}
// CHECK-LABEL: define internal {{.*}} @verso.gradient.bounded(
// CHECK-COUNT-2: fcmp {{oeq|une}} double {{.*}}, 0.000000e+00
// CHECK-NOT: fcmp {{oeq|une}}
// CHECK: ret void
void ask_bounded(double *x, double *dx) {
  __verso_grad_void((void *)bounded, verso_dup, x, dx);
}

static double unbounded(const double *x) {
  double f = pow(fabs(x[0]), -0.2);
  f = f < 5 ? 5 : f;
  double p = x[1] * f, q = p * p * x[2];
  return fmax(q, x[1]);
}
// CHECK-LABEL: define internal {{.*}} @verso.gradient.unbounded(
// CHECK-COUNT-3: fcmp {{oeq|une}} double {{.*}}, 0.000000e+00
// CHECK: ret void
void ask_unbounded(double *x, double *dx) {
  __verso_grad_void((void *)unbounded, verso_dup, x, dx);
}
