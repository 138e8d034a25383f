//===- row-tables.cpp - rows of tables are told apart before a nest -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime looks through tables of pointers, and whether the rows of one are
// apart where they are written. Behind the check nothing is recorded of a
// product, and its adjoints are vectors.
//
//===----------------------------------------------------------------------===//

// REQUIRES: llvm22
// RUN: %clang_verso -O2 -fno-unroll-loops -S -emit-llvm %s -o - \
// RUN:   -Rpass-analysis=verso >%t.ll 2>%t.remarks
// RUN: FileCheck %s < %t.ll
// RUN: FileCheck %s --check-prefix=READS < %t.ll
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

extern "C" int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static void product(double **a, double **b, double **c, int n) {
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        c[i][j] += a[i][k] * b[k][j];
}

void request(double **a, double **b, double **c, double **da, double **db,
             double **dc, int n) {
  __verso_grad_void((void *)product, verso_dup, a, da, verso_dup, b, db,
                    verso_dup, c, dc, verso_const, n);
}

// CHECK-LABEL: define internal {{.*}} @verso.gradient.
// CHECK: call i32 @__verso_rows_are_apart(
// CHECK: call i32 @__verso_rows_are_distinct(
// CHECK: fmul contract <{{.*}} x double>
// READS: declare i32 @__verso_rows_are_apart({{.*}}) [[ATTRIBUTES:#[0-9]+]]
// READS: attributes [[ATTRIBUTES]] = { nounwind willreturn memory(read) }
// REMARK: values are recorded only if pointers in loops overlap
