//===- common-cells.c - rows that add to the same cells -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All rows of a matrix add to the adjoint of the vector that they are
// multiplied by: four of them are reversed by one loop, which adds to it once,
// and rows run up, as the matrix lies in memory. Each row reads and clears its
// own cell before. Rows of a product of matrices read the same row of the
// result's adjoint: there are two in one loop.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -fno-unroll-loops -S -emit-llvm %s -o - | FileCheck %s

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static double f(const double *restrict a, const double *restrict x, long rows) {
  double y[1000];
  for (long i = 0; i < rows; ++i) {
    double sum = 0;
    for (long j = 0; j < 32; ++j)
      sum += a[i * 32 + j] * x[j];
    y[i] = sum;
  }
  double sum = 0;
  for (long i = 0; i < rows; ++i)
    sum += y[i];
  return sum;
}

static double g(const double *restrict a, const double *restrict b, long rows) {
  double c[1000];
  for (long j = 0; j < 32; ++j)
    c[j] = 0;
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < 32; ++j)
      c[j] += a[i] * b[i * 32 + j];
  double sum = 0;
  for (long j = 0; j < 32; ++j)
    sum += c[j] * c[j];
  return sum;
}

void request(double *restrict a, double *restrict da, double *restrict x,
             double *restrict dx, long rows) {
  __verso_grad_void((void *)f, verso_dup, a, da, verso_dup, x, dx, verso_const,
                    rows);
  __verso_grad_void((void *)g, verso_dup, a, da, verso_dup, x, dx, verso_const,
                    rows);
}

// CHECK-LABEL: define internal {{.*}}@verso.gradient.f(
// CHECK: store double 0.000000e+00
// CHECK-NOT: br i1
// CHECK: store double 0.000000e+00
// CHECK-NOT: br i1
// CHECK: store double 0.000000e+00
// CHECK-NOT: br i1
// CHECK: store double 0.000000e+00
// CHECK-NOT: br i1
// CHECK: add nuw nsw i64 %{{.*}}, 4
// Where the shadows overlap:
// CHECK: br i1
// CHECK: br i1
// Where they do not:
// CHECK: phi i64 [ 0,
// CHECK-NOT: br i1
// CHECK: store double %
// CHECK-NOT: br i1
// CHECK: store double %
// CHECK-NOT: br i1
// CHECK: store double %
// CHECK-NOT: br i1
// CHECK: [[TWO:%.*]] = fadd nsz contract double
// CHECK: [[THREE:%.*]] = fadd nsz contract double [[TWO]],
// CHECK: [[FOUR:%.*]] = fadd nsz contract double [[THREE]],
// CHECK: fadd nsz contract double %{{.*}}, [[FOUR]]
// CHECK-NEXT: store double %
// CHECK-NOT: store
// CHECK: store double %
// CHECK-NOT: store
// CHECK: br i1

// CHECK-LABEL: define internal {{.*}}@verso.gradient.g(
// The row that is left:
// CHECK: phi double [ -0.000000e+00,
// CHECK: phi double [ -0.000000e+00,
// CHECK-NEXT: phi double [ -0.000000e+00,
// CHECK: store double %
// CHECK: store double %
// CHECK-NOT: store
// CHECK: br i1
