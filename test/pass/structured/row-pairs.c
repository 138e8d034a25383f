//===- row-pairs.c - reversed rows go several at a time -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Four rows of a stencil are reversed by one loop: four cells are read and
// cleared, and six are added to, not twelve. Rows whose cells may be
// overwritten by other rows go one by one, as a check at the entry says.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -fno-unroll-loops -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang_verso -O1 -fno-unroll-loops -S -emit-llvm -DSTRIDE=20 %s -o - \
// RUN:   | FileCheck %s --check-prefix=SINGLE

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

#ifndef STRIDE
#define STRIDE 32
#endif

static double f(const double *x, long rows) {
  double y[40 * 32] = {0};
  for (long i = 1; i < rows; ++i)
    for (long j = 0; j < 32; ++j)
      y[i * STRIDE + j] = x[i * 32 + j] + 0.5 * x[(i - 1) * 32 + j] +
                          0.25 * x[(i + 1) * 32 + j];
  double sum = 0;
  for (long i = 0; i < 40 * 32; ++i)
    sum += y[i];
  return sum;
}

void request(double *x, double *dx, long rows) {
  __verso_grad_void((void *)f, verso_dup, x, dx, verso_const, rows);
}

// CHECK-LABEL: define internal {{.*}}@verso.gradient.f(
// Rows that are left:
// CHECK: store double 0.000000e+00
// CHECK: br i1
// CHECK: store double 0.000000e+00
// CHECK-NOT: {{store double|br i1}}
// CHECK: store double %
// CHECK-NOT: {{store double|br i1}}
// CHECK: store double 0.000000e+00
// CHECK-NOT: {{store double|br i1}}
// CHECK: store double %
// CHECK-NOT: {{store double|br i1}}
// CHECK: store double 0.000000e+00
// CHECK-NOT: {{store double|br i1}}
// CHECK: store double %
// CHECK-NOT: {{store double|br i1}}
// CHECK: store double 0.000000e+00
// CHECK-NOT: {{store double|br i1}}
// CHECK: store double %
// CHECK-NOT: {{store double|br i1}}
// CHECK: store double %
// CHECK-NOT: {{store double|br i1}}
// CHECK: store double %
// CHECK-NOT: store double
// CHECK: br i1

// SINGLE-LABEL: define internal {{.*}}@verso.gradient.f(
// SINGLE: store double 0.000000e+00
// SINGLE-NOT: store double 0.000000e+00
