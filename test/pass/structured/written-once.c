//===- written-once.c - what is loaded again and not recorded -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix is factorised in place without a tape: no element of the result is
// written again after it was read, and what was computed by a division stands in
// the matrix, whether each of two branches stores it or what they choose is
// stored. The condition of a branch says that an element is not of the diagonal,
// or that it is the last of its row. A sweep that goes over its array twice has to record.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang_verso -O1 -S -emit-llvm %s -o - -DROWS=8 | FileCheck %s
// RUN: %clang_verso -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=O2

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

static void cholesky(double *a, size_t n) {
  for (size_t i = 0; i != ROWS; ++i)
    for (size_t j = 0; j <= i; ++j) {
      double sum = a[i * ROWS + j];
      for (size_t k = 0; k != j; ++k)
        sum -= a[i * ROWS + k] * a[j * ROWS + k];
      if (i == j)
        a[i * ROWS + i] = __builtin_sqrt(sum);
      else
        a[i * ROWS + j] = sum / a[j * ROWS + j];
    }
}

static void chosen(double *a, size_t n) {
  for (size_t i = 0; i != ROWS; ++i)
    for (size_t j = 0; j <= i; ++j) {
      double sum = a[i * ROWS + j];
      for (size_t k = 0; k != j; ++k)
        sum -= a[i * ROWS + k] * a[j * ROWS + k];
      a[i * ROWS + j] = i == j ? __builtin_sqrt(sum) : sum / a[j * ROWS + j];
    }
}

/// Of the optimiser's: a row starts where the one before ended.
static void sparse(const double *restrict a, const double *restrict x,
                   double *restrict y, const int *restrict start, size_t n) {
  for (size_t i = 0; i != ROWS; ++i) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; ++k)
      sum += a[k] * x[k] * x[k];
    y[i] = sum;
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
// CHECK-LABEL: define internal void @verso.gradient.cholesky(
// CHECK-NOT: call {{.*}} @__verso_arena_take
// CHECK-LABEL: define internal void @verso.gradient.chosen(
// CHECK-NOT: call {{.*}} @__verso_arena_take
// O2-LABEL: define internal void @verso.gradient.sparse(
// O2-NOT: call {{.*}} @__verso_arena_take
// O2-LABEL: define internal void @verso.gradient.sweeps(

// CHECK-LABEL: define internal void @verso.gradient.sweeps(
// CHECK: {{call .* @__verso_arena_take|alloca}}

void requests(double *a, double *da, size_t n, double *x, double *dx, double *y,
              double *dy, int *start) {
  __verso_grad_void((void *)lu, verso_dup, a, da, verso_const, n);
  __verso_grad_void((void *)cholesky, verso_dup, a, da, verso_const, n);
  __verso_grad_void((void *)chosen, verso_dup, a, da, verso_const, n);
  __verso_grad_void((void *)sparse, verso_dup, a, da, verso_dup, x, dx,
                    verso_dup, y, dy, verso_const, start, verso_const, n);
  __verso_grad_void((void *)sweeps, verso_dup, a, da, verso_const, n);
}
