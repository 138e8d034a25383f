//===- scopes.c - restrict, of which one parameter has nothing to tell ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM drops the declaration of a scope that no access is in (that of `from`,
// which is only copied), not the scope from the lists of others. What these
// lists say of the rest still holds: `a` and the columns are loaded again, and
// only `x`, which the second loop overwrites, is recorded.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -S -emit-llvm -gline-tables-only %s -o /dev/null \
// RUN:   -Rpass-analysis=verso 2>&1 | FileCheck %s

extern int verso_dup, verso_const;
double __verso_grad(void *, ...);

struct shape {
  long rows;
  const int *column;
};

static double chain(const struct shape *s, const double *restrict a,
                    const double *restrict from, double *restrict x,
                    double *restrict y) {
  for (long i = 0; i < s->rows; ++i)
    x[i] = from[i];
  for (long i = 0; i < s->rows; ++i)
    // CHECK-NOT: recorded
    // CHECK: scopes.c:[[#@LINE+2]]:19: remark: recorded for the reverse sweep
    // CHECK-SAME: may be overwritten at {{.*}}scopes.c:[[#@LINE+3]]
    y[i] = a[i] * x[s->column[i]];
  for (long i = 0; i < s->rows; ++i)
    x[i] = a[i] * y[s->column[i]];
  // CHECK-NOT: recorded
  double sum = 0;
  for (long i = 0; i < s->rows; ++i)
    sum += x[i] * x[i];
  return sum;
}

void request(const struct shape *s, double *a, double *da, double *from,
             double *dfrom, double *x, double *dx, double *y, double *dy) {
  __verso_grad((void *)chain, verso_const, s, verso_dup, a, da, verso_dup, from,
               dfrom, verso_dup, x, dx, verso_dup, y, dy);
}
