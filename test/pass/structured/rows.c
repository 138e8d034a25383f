//===- rows.c - recorded once for all iterations of a loop in between -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The buffer is read n times between two times that it is written: its record
// has n elements for each of the m, not n * n. Where every run reads all of it, it
// is copied before them, and nothing is recorded in the inner loop; where each
// run reads a part of it, a row is written again by every run.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | FileCheck %s

#include <stddef.h>

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static double all(const double *x, size_t m, size_t n) {
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

static double parts(const double *x, size_t m, size_t n) {
  double buffer[64], s = 0;
  for (size_t p = 0; p < m; ++p) {
    for (size_t j = 0; j < 64; ++j)
      buffer[j] = x[p] * x[j];
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < (i & 63); ++j)
        s += x[i * 64 + j] * buffer[j];
  }
  return s;
}

// CHECK-LABEL: define internal void @verso.gradient.all(
// CHECK: %[[COPY:.*]] = {{.*}}call noalias ptr @__verso_arena_take(i64 512)
// CHECK-NEXT: call void @llvm.memcpy{{.*}}(ptr {{.*}}%[[COPY]], {{.*}}, i64 512,
// CHECK-NOT: call i64 @__verso_arena_affords(
// CHECK: ret void

// Room for m rows as long as the last run reads, to begin with.
// CHECK-LABEL: define internal void @verso.gradient.parts(
// CHECK: mul i64 %{{.*}}, %2
// CHECK: %[[ROOM:.*]] = {{.*}}call i64 @llvm.umin.i64(i64 %{{.*}},
// CHECK: call i64 @__verso_arena_affords(i64 %[[ROOM]], i64 8)

void request(double *x, double *dx, size_t m, size_t n) {
  __verso_grad_void((void *)all, verso_dup, x, dx, verso_const, m, verso_const,
                    n);
  __verso_grad_void((void *)parts, verso_dup, x, dx, verso_const, m,
                    verso_const, n);
}
