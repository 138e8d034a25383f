//===- carried-numbers.c - products with a number that goes round ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse of an iteration that takes one number on multiplies what it gets
// by numbers that the recto computes and keeps, and asks once whether it is
// zero. The recto's sine and cosine are taken for it.
//
//===----------------------------------------------------------------------===//

// REQUIRES: llvm22
// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | FileCheck %s

#include <math.h>

extern int verso_dup, verso_const, verso_out;
double __verso_grad(void *, ...);

static double anomaly(double mean, double e) {
  double x = mean, step = 1;
  while (fabs(step) > 1e-12) {
    step = (x - e * sin(x) - mean) / (1 - e * cos(x));
    x -= step;
  }
  return x;
}
// Nothing is waited for but one product: as the rules have it.
static double power(double x, double a, int n) {
  for (int i = 0; i < n; ++i)
    x = x * (a + i);
  return x;
}

// CHECK-LABEL: define internal {{.*}} @verso.gradient.anomaly(
// CHECK-NOT: @llvm.{{sin|cos}}
// CHECK: [[T:%.*]] = phi double [ [[NEXT:%.*]], %{{.*}} ], [ 1.000000e+00, %{{.*}} ]
// CHECK: [[ZERO:%.*]] = fcmp oeq double [[T]], 0.000000e+00
// CHECK-NEXT: br i1 [[ZERO]], label %{{.*}}, label %{{.*}}, !prof
// CHECK-NOT: fdiv
// CHECK: fmul contract double [[T]],
// CHECK: ret
double ask_anomaly(double mean, double e) {
  return __verso_grad((void *)anomaly, mean, verso_const, e);
}

// CHECK-LABEL: define internal {{.*}} @verso.gradient.power(
// CHECK-NOT: fcmp
// CHECK: ret
double ask_power(double x, double a, int n) {
  return __verso_grad((void *)power, x, verso_const, a, verso_const, n);
}
