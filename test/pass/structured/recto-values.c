//===- recto-values.c - what the recto has computed already ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verso takes sines and cosines from the recto where it has both, and calls
// where it has not: of another angle, or in a block that may not have been run.
// Before LLVM 22 errno may be anywhere: after a sine the angle is read again.
//
//===----------------------------------------------------------------------===//

// REQUIRES: llvm22
// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | FileCheck %s

#include <math.h>

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static double both(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += sin(x[i]) * cos(x[i]);
  return sum;
}
static double one(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += sin(x[i]) * cos(x[i] + 1);
  return sum;
}
static double sometimes(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double s = sin(x[i]);
    if (s > 0)
      s *= cos(x[i]);
    sum += s;
  }
  return sum;
}
static double quotients(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += 1 / x[i] + log(x[i]);
  return sum;
}

void request(const double *x, double *dx, int n) {
  __verso_grad_void((void *)both, verso_dup, x, dx, verso_const, n);
  __verso_grad_void((void *)one, verso_dup, x, dx, verso_const, n);
  __verso_grad_void((void *)sometimes, verso_dup, x, dx, verso_const, n);
  __verso_grad_void((void *)quotients, verso_dup, x, dx, verso_const, n);
}

// CHECK-LABEL: define internal {{.*}}void @verso.gradient.both(
// CHECK-DAG: call {{.*}}double @sin(
// CHECK-DAG: call {{.*}}double @cos(
// CHECK-NOT: @llvm.{{sin|cos}}
// CHECK: ret void

// CHECK-LABEL: define internal {{.*}}void @verso.gradient.one(
// CHECK-DAG: call {{.*}}double @llvm.sin
// CHECK-DAG: call {{.*}}double @llvm.cos
// CHECK: ret void

// CHECK-LABEL: define internal {{.*}}void @verso.gradient.sometimes(
// The cosine of the first sine.
// CHECK: call {{.*}}double @llvm.cos
// CHECK-NOT: call {{.*}}double @llvm.sin
// CHECK: ret void

// CHECK-LABEL: define internal {{.*}}void @verso.gradient.quotients(
// CHECK: fdiv
// CHECK: ret void
