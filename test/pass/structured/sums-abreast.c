//===- sums-abreast.c - sums in order, four at a time ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forward sweep of a factorisation adds up the inner products of four
// columns side by side. Not those of rows that end anywhere.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -fno-unroll-loops -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang_verso -O1 -fno-unroll-loops -S -emit-llvm -DEND=ends[j] %s -o - \
// RUN:   | FileCheck %s --check-prefix=SINGLE

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

#ifndef END
#define END j
#endif

static void f(const double *restrict a, double *restrict l,
              const long *restrict ends, long n) {
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < i; ++j) {
      double sum = a[i * n + j];
      for (long k = 0; k < END; ++k)
        sum -= l[i * n + k] * l[j * n + k];
      l[i * n + j] = sum / l[j * n + j];
    }
}

void request(const double *a, double *da, double *l, double *dl,
             const long *ends, long n) {
  __verso_grad_void((void *)f, verso_dup, a, da, verso_dup, l, dl, verso_const,
                    ends, verso_const, n);
}

// CHECK-LABEL: define internal {{.*}}@verso.gradient.f(
// CHECK-NOT: fdiv double
// CHECK: phi double
// CHECK-NEXT: phi double
// CHECK-NEXT: phi double
// CHECK-NEXT: phi double
// CHECK-COUNT-4: call double @llvm.fmuladd
// CHECK-NOT: call double @llvm.fmuladd
// CHECK: br i1
// CHECK-COUNT-4: fdiv double %

// SINGLE-LABEL: define internal {{.*}}@verso.gradient.f(
// SINGLE: fdiv double %
// SINGLE-NOT: fdiv double %
