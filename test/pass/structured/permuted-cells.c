//===- permuted-cells.c - a permutation's cells are cleared at once -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There is a loop that takes the adjoints of two arrays without storing zeros,
// and two memsets behind it. One index comes from memory of the program.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -fno-unroll-loops -S -emit-llvm %s -o - | FileCheck %s

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static double f(const double *x, double *y, double *z, const int *p, long n) {
  for (long i = 0; i < n; ++i) {
    y[p[i]] = x[i];
    z[p[i]] = 2 * x[i];
  }
  double sum = 0;
  for (long i = 0; i < n; ++i)
    sum += y[i] * z[i];
  return sum;
}

void request(double *x, double *dx, double *y, double *dy, double *z,
             double *dz, const int *p, long n) {
  __verso_grad_void((void *)f, verso_dup, x, dx, verso_dup, y, dy, verso_dup, z,
                    dz, verso_const, p, verso_const, n);
}

// CHECK-LABEL: define {{.*}}@verso.gradient.f
// CHECK: call i64 @__verso_least_of_permutation({{.*}}, i32 31)
// CHECK: call void @llvm.memset
// CHECK: call void @llvm.memset
