//===- written-once.c - what is loaded again and not recorded -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix is factorised in place without a tape: no element of the result is
// written again after it was read, and what was computed by a division stands in
// the matrix. A sweep that goes over its array twice has to record.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang_verso -O1 -S -emit-llvm %s -o - -DROWS=8 | FileCheck %s

#include <stddef.h>

#ifndef ROWS
#define ROWS n
#endif

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static void lu(double *a, size_t n) {
  for (size_t k = 0; k != ROWS; ++k)
    for (size_t i = k + 1; i < ROWS; ++i) {
      double f = a[i * ROWS + k] / a[k * ROWS + k];
      a[i * ROWS + k] = f;
      for (size_t j = k + 1; j < ROWS; ++j)
        a[i * ROWS + j] -= f * a[k * ROWS + j];
    }
}

static void sweeps(double *a, size_t n) {
  for (size_t k = 0; k != 2; ++k)
    for (size_t i = 1; i < ROWS; ++i)
      a[i] *= a[i - 1];
}

// CHECK-LABEL: define internal void @verso.gradient.lu(
// CHECK-NOT: call {{.*}} @__verso_arena_take
// CHECK-NOT: alloca
// CHECK-LABEL: define internal void @verso.gradient.sweeps(
// CHECK: {{call .* @__verso_arena_take|alloca}}

void requests(double *a, double *da, size_t n) {
  __verso_grad_void((void *)lu, verso_dup, a, da, verso_const, n);
  __verso_grad_void((void *)sweeps, verso_dup, a, da, verso_const, n);
}
