//===- rows-apart.c - rows of unknown length, and a grid that goes round --===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both edges of a row are taken out of the reversed loop, a check tells the row,
// the one above and the one below from one another, the loop behind it
// vectorises, and what it adds to its left and its right travels along. What
// the check says is declared where the loop is entered.
//
//===----------------------------------------------------------------------===//

// REQUIRES: llvm22
// RUN: %clang_verso -O3 -mavx2 -mfma -fno-discard-value-names -S -emit-llvm %s \
// RUN:   -o - | FileCheck %s

#include <stddef.h>

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static void step(const double *restrict u, double *restrict v, size_t rows,
                 size_t columns) {
  for (size_t i = 0; i != rows; ++i) {
    size_t up = (i == 0 ? rows - 1 : i - 1) * columns;
    size_t down = (i + 1 == rows ? 0 : i + 1) * columns;
    for (size_t j = 0; j != columns; ++j) {
      size_t left = i * columns + (j == 0 ? columns - 1 : j - 1);
      size_t right = i * columns + (j + 1 == columns ? 0 : j + 1);
      v[i * columns + j] = u[up + j] + u[down + j] + u[left] + 2 * u[right];
    }
  }
}
// CHECK-LABEL: define internal void @verso.gradient.step(
// CHECK: {{^}}vector.body{{[0-9]*}}:
// CHECK: icmp ule ptr
// CHECK: call void @llvm.experimental.noalias.scope.decl(
// CHECK: {{^}}vector.body{{[0-9]*}}:
// CHECK: %vector.recur{{[0-9]*}} = phi <4 x double>
// CHECK: store <4 x double>
// CHECK: store <4 x double>
// CHECK: store <4 x double>
// CHECK: {{^}}}
void of_step(double *u, double *du, double *v, double *dv, size_t rows,
             size_t columns) {
  __verso_grad_void((void *)step, verso_dup, u, du, verso_dup, v, dv,
                    verso_const, rows, verso_const, columns);
}
