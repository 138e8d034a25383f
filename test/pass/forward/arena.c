//===- arena.c - forward over reverse by plain code -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the inner gradient records has tangents in the arena too, in a block
// behind it that needs no clearing; no tangent is mapped, so the request has no
// windows.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -fno-vectorize -fno-unroll-loops -S -emit-llvm %s -o - \
// RUN:   | FileCheck %s

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);
void __verso_jvp_void(void *, ...);
double exp(double);

static double chain(const double *x, int n) {
  double s = 1;
  for (int i = 0; i < n; ++i)
    s = s * exp(x[i] * s);
  return s;
}
static void gradient(const double *x, double *dx, int n) {
  __verso_grad_void(chain, verso_dup, x, dx, verso_const, n);
}
void product(const double *x, const double *v, double *dx, double *h, int n) {
  __verso_jvp_void(gradient, verso_dup, x, v, verso_dup, dx, h, verso_const, n);
}

// CHECK-NOT: call {{.*}}@__verso_begin_tangents
// CHECK-NOT: call {{.*}}@__verso_touch_tangents
// CHECK-LABEL: @gradient.tangent(
// CHECK: call ptr @__verso_arena_begin(
// CHECK: %[[COLUMN:.+]] = {{.*}}call noalias ptr @__verso_arena_take(
// CHECK-NEXT: %[[TANGENTS:.+]] = {{.*}}call noalias ptr @__verso_arena_take(
// CHECK-NOT: memset
// CHECK: %[[CELL:.+]] = getelementptr {{.*}}ptr %[[COLUMN]],
// CHECK-NEXT: %[[TANGENT:.+]] = getelementptr {{.*}}ptr %[[TANGENTS]],
// CHECK: store double {{.+}}, ptr %[[CELL]],
// CHECK: store double {{.+}}, ptr %[[TANGENT]],
// CHECK: call void @__verso_arena_end(
// CHECK-NOT: call {{.*}}@__verso_begin_tangents
// CHECK-NOT: call {{.*}}@__verso_touch_tangents
