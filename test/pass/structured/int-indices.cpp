//===- int-indices.cpp - indices that are computed in int -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A factor of a matrix is written once, and loaded again in the verso, also
// where its indices are computed in `int` (j * n + j is j * (n + 1) to LLVM,
// which forgets that it does not overflow), where the diagonal is asked for
// (L[i][i] for L[i][j] behind i == j), and where the table of rows is loaded
// again in the nest, under a condition.
//
//===----------------------------------------------------------------------===//

// REQUIRES: llvm22
// RUN: %clangxx_verso -O2 -fno-math-errno -c %s -o /dev/null -DFLAT \
// RUN:   -Rpass-analysis=verso 2>&1 | FileCheck %s --allow-empty
// RUN: %clangxx_verso -O2 -fno-math-errno -c %s -o /dev/null -DDIAGONAL \
// RUN:   -Rpass-analysis=verso 2>&1 | FileCheck %s --allow-empty
// RUN: %clangxx_verso -O2 -fno-math-errno -c %s -o /dev/null -DVECTORS \
// RUN:   -Rpass-analysis=verso 2>&1 | FileCheck %s --check-prefix=TWICE

#include <cmath>
#include <vector>

extern "C" int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

// CHECK-NOT: its memory may be overwritten
// TWICE: {{[1-9][0-9]}} values are recorded only if pointers in loops overlap

#ifdef FLAT
static void factor(double *a, int n) {
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++)
      for (int i = j; i < n; i++)
        a[i * n + j] -= a[i * n + k] * a[j * n + k];
    a[j * n + j] = std::exp(a[j * n + j]);
  }
}
void request(double *a, double *da, int n) {
  __verso_grad_void((void *)factor, verso_dup, a, da, verso_const, n);
}
#elif defined(DIAGONAL)
static void factor(const double *a, double *l, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = a[i * n + j];
      for (int k = 0; k < j; k++)
        sum -= l[i * n + k] * l[j * n + k];
      if (i == j)
        l[i * n + i] = sum * 0.5;
      else
        l[i * n + j] = sum * l[j * n + j];
    }
}
void request(double *__restrict a, double *da, double *__restrict l, double *dl,
             int n) {
  __verso_grad_void((void *)factor, verso_dup, a, da, verso_dup, l, dl,
                    verso_const, n);
}
#else
typedef std::vector<std::vector<double>> Matrix;
static void factor(Matrix &a, int n) {
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++)
      for (int i = j; i < n; i++)
        a[i][j] -= a[i][k] * a[j][k];
    a[j][j] = std::sqrt(a[j][j]);
    for (int i = j + 1; i < n; i++)
      a[i][j] /= a[j][j];
  }
}
void request(Matrix *a, Matrix *da, int n) {
  __verso_grad_void((void *)factor, verso_dup, a, da, verso_const, n);
}
#endif
