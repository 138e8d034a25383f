//===- row-tables.cpp - rows of tables are told apart before a nest -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime looks through tables of pointers, and whether the rows of one are
// apart where they are written. Behind the check nothing is recorded of a
// product, and its adjoints are vectors. Where all of a table will be read it is
// not asked whether it can be: in a factorisation, too, that a pivot may end.
// Else it is asked once.
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

static int factorise(double **a, int n) {
  for (int k = 0; k < n; ++k) {
    if (a[k][k] == 0)
      return 1;
    for (int i = k + 1; i < n; ++i) {
      a[i][k] /= a[k][k];
      for (int j = k + 1; j < n; ++j)
        a[i][j] -= a[i][k] * a[k][j];
    }
  }
  return 0;
}

static void lu(double **a, int n) { factorise(a, n); }

void factors(double **a, double **da, int n) {
  __verso_grad_void((void *)lu, verso_dup, a, da, verso_const, n);
}

static void reduce(double **a, const int *mask, int n) {
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i)
      if (mask[i])
        for (int j = 0; j < n; ++j)
          a[i][j] *= a[k][j];
}

void reduced(double **a, double **da, const int *mask, int n) {
  __verso_grad_void((void *)reduce, verso_dup, a, da, verso_const, mask,
                    verso_const, n);
}

// CHECK-LABEL: define internal {{.*}} @verso.gradient.
// CHECK: call i32 @__verso_rows_are_apart(
// CHECK: call i32 @__verso_rows_are_distinct(
// CHECK: fmul contract <{{.*}} x double>
// CHECK-LABEL: define internal {{.*}} @verso.gradient.{{.*}}lu
// CHECK: [[HOW:%.*]] = select i1 {{.*}}, i32 7, i32 0
// CHECK: call i32 @__verso_rows_are_apart(i32 [[HOW]],
// CHECK-LABEL: define internal {{.*}} @verso.gradient.{{.*}}reduce
// CHECK: [[HOW:%.*]] = select i1 {{.*}}, i32 3, i32 0
// CHECK: call i32 @__verso_rows_are_apart(i32 [[HOW]],
// CHECK: [[HOW:%.*]] = select i1 {{.*}}, i32 0, i32 7
// CHECK: call i32 @__verso_rows_are_apart(i32 [[HOW]],
// CHECK: [[HOW:%.*]] = select i1 {{.*}}, i32 0, i32 3
// CHECK: call i32 @__verso_rows_are_distinct(i32 [[HOW]],
// READS: declare i32 @__verso_rows_are_apart({{.*}}) [[ATTRIBUTES:#[0-9]+]]
// READS: attributes [[ATTRIBUTES]] = { nounwind willreturn memory(read) }
// REMARK: values are recorded only if pointers in loops overlap
