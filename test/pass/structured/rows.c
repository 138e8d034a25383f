//===- rows.c - recorded once for all iterations of a loop in between -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The buffer is read n times between two times that it is written: its record
// has n elements for each of the m, not n * n. What the middle loop needs of x is
// loaded before the inner one, which the range test allows.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | FileCheck %s

#include <stddef.h>

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static double f(const double *x, size_t m, size_t n) {
  double buffer[64], s = 0;
  for (size_t p = 0; p < m; ++p) {
    for (size_t j = 0; j < 64; ++j)
      buffer[j] = x[p] * x[j];
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < 64; ++j)
        s += x[i * 64 + j] * buffer[j];
  }
  return s * s; // Needed, so no iteration is run again.
}

// Room for m rows of 64 numbers, to begin with.
// CHECK-LABEL: define internal void @verso.gradient.f(
// CHECK: %[[ROWS:.*]] = shl i64 %{{.*}}, 6
// CHECK: %[[ROOM:.*]] = {{.*}}call i64 @llvm.umin.i64(i64 %[[ROWS]],
// CHECK: call i64 @__verso_arena_affords(i64 %[[ROOM]], i64 8)

void request(double *x, double *dx, size_t m, size_t n) {
  __verso_grad_void((void *)f, verso_dup, x, dx, verso_const, m, verso_const,
                    n);
}
