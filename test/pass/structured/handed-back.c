//===- handed-back.c - what the reversed iteration before had -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The end of a row is the start of the one that was reversed before: it is in a
// register, and the row runs down from there. What a recurrence hands on is
// recorded once, as what the iteration was given.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -fno-discard-value-names -S -emit-llvm %s -o - \
// RUN:   | FileCheck %s
// RUN: %clang_verso -O1 -S -emit-llvm %s -o /dev/null \
// RUN:   -Rpass-analysis=verso 2>&1 | FileCheck %s --check-prefix=REMARK

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);
double exp(double);

static void rows(const double *restrict a, const double *restrict x,
                 double *restrict y, const int *restrict start,
                 const int *restrict columns, long n) {
  for (long i = 0; i != n; ++i) {
    double sum = 0;
    for (int k = start[i]; k != start[i + 1]; ++k)
      sum += a[k] * x[columns[k]];
    y[i] = sum;
  }
}
void of_rows(const double *a, double *da, const double *x, double *dx,
             double *y, double *dy, const int *start, const int *columns,
             long n) {
  __verso_grad_void((void *)rows, verso_dup, a, da, verso_dup, x, dx, verso_dup,
                    y, dy, verso_const, start, verso_const, columns,
                    verso_const, n);
}

// Of a row that is reversed one number is loaded, its start.
// CHECK-LABEL: define internal void @verso.gradient.rows(
// CHECK: [[END:%.*handed.back.*]] = phi i32 [ [[START:%.*]], %{{.*}} ], [
// CHECK-NOT: load i32
// CHECK: [[START]] = load i32, ptr
// CHECK: icmp eq i32 [[START]], [[END]]
// CHECK-NOT: load i32
// CHECK: [[DOWN:%.*down.*]] = phi i64 [ {{.*}} ], [ [[FROM:%.*]], %{{.*}} ]
// CHECK: [[FROM]] = sext i32 [[END]] to i64
// CHECK: ret void

static void recurrence(const double *restrict a, double *restrict y, long n) {
  double state = 1;
  for (long i = 0; i != n; ++i) {
    double next = exp(-state * a[i]);
    y[i] = next * state;
    state = next;
  }
}
void of_recurrence(const double *a, double *da, double *y, double *dy, long n) {
  __verso_grad_void((void *)recurrence, verso_dup, a, da, verso_dup, y, dy,
                    verso_const, n);
}

// REMARK-NOT: recorded
// REMARK: recorded for the reverse sweep, 8 bytes each time: it depends on the
// REMARK-NOT: recorded
