//===- quotients-in-nests.c - what is computed again, not recorded ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Quotients and roots of a counted loop in another loop are computed again: what
// would be recorded grows with the product of the counts. In one loop they are
// recorded.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -gline-tables-only -S -emit-llvm %s -o %t.ll \
// RUN:   -Rpass-analysis=verso 2>&1 | FileCheck %s --allow-empty
// RUN: %clang_verso -O2 -gline-tables-only -DONE_LOOP -S -emit-llvm %s \
// RUN:   -o /dev/null -Rpass-analysis=verso 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ONE

#include <math.h>

extern int verso_dup, verso_const;
void __verso_grad(void *, ...);

static double f(const double *restrict x, int n) {
  double sum = 0;
#ifdef ONE_LOOP
  double y = x[0];
  for (int j = 1; j < n; ++j)
    sum += y / (1 + sqrt(1 + x[j] * x[j]));
#else
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      sum += x[i] / (1 + sqrt(1 + x[j] * x[j]));
#endif
  return sum * sum;
}

// CHECK-NOT: it is expensive to compute
// ONE: it is expensive to compute

void request(double *x, double *dx, int n) {
  __verso_grad((void *)f, verso_dup, x, dx, verso_const, n);
}
