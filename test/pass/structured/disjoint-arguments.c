//===- disjoint-arguments.c - two versions, and a test at run time ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments that may overlap are recorded where they do, and only there. Of their
// shadows that of what is written overlaps no other one then; those of what is
// only read may be one.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang_verso -O1 -S -emit-llvm %s -o /dev/null \
// RUN:   -Rpass-analysis=verso 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %clang_verso -O1 -S -emit-llvm -DOF_POINTERS %s -o - \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

#ifndef OF_POINTERS
static void f(const double *x, const double *y, double *z, int n) {
  for (int i = 0; i < n; ++i)
    z[i] = x[i] * y[n - i];
}
#else
// Where these lead to is not known at the entry.
static void f(double *const *x, const double *y, double *z, int n) {
  for (int i = 0; i < n; ++i)
    z[i] = x[i][0] * y[n - i];
}
#endif

void request(double *x, double *dx, double *y, double *dy, double *z,
             double *dz, int n) {
  __verso_grad_void((void *)f, verso_dup, x, dx, verso_dup, y, dy, verso_dup, z,
                    dz, verso_const, n);
}

// CHECK-LABEL: define internal i1 @verso.gradient.f.disjoint(
// CHECK: icmp {{.*}} i128
// CHECK-LABEL: define internal void @verso.gradient.f.any.arguments(
// CHECK: call {{.*}} @__verso_arena_take
// CHECK-LABEL: define internal void @verso.gradient.f.disjoint.arguments(
// CHECK-SAME: ptr noalias %{{[^,]*}}, ptr %{{[^,]*}}, ptr noalias %{{[^,]*}}, ptr %{{[^,]*}}, ptr noalias %{{[^,]*}}, ptr noalias %{{[^,]*}}, i32
// CHECK-NOT: @__verso_arena_take
// CHECK-LABEL: define internal void @verso.gradient.f(
// CHECK: %[[HOLDS:.*]] = tail call i1 @verso.gradient.f.disjoint(
// CHECK: br i1 %[[HOLDS]]
// CHECK-DAG: call void @verso.gradient.f.disjoint.arguments(
// CHECK-DAG: call void @verso.gradient.f.any.arguments(

// REMARK: 2 values are recorded only if arguments overlap

// UNKNOWN-NOT: @verso.gradient.f.disjoint
