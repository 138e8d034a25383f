//===- room-of-triangles.c - columns of loops of changing length ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inner loop runs n (n - 1) / 2 times in all: so many values have room to
// begin with, not the square. In a loop of steps around it, so many for each.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | FileCheck %s

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);
double exp(double);

static double triangle(double *x, long n, long steps) {
  double s = 0;
  for (long t = 0; t < steps; ++t)
    for (long i = 0; i < n; ++i)
      for (long k = 0; k < i; ++k) {
        double e = exp(x[k] * s);
        s += 0.01 * e * x[i];
      }
  return s;
}

// CHECK-LABEL: define internal void @verso.gradient.triangle(
// CHECK: %[[TWICE:.*]] = mul i65
// CHECK: lshr i65 %[[TWICE]], 1
// CHECK: %[[ROOM:.*]] = {{.*}}call i64 @llvm.umin.i64(i64 %{{.*}}, i64 1048576)
// CHECK: call i64 @__verso_arena_affords(i64 %[[ROOM]],
// CHECK: call void @__verso_arena_end
// CHECK: ret void

void request(double *x, double *dx, long n, long steps) {
  __verso_grad_void((void *)triangle, verso_dup, x, dx, verso_const, n,
                    verso_const, steps);
}
