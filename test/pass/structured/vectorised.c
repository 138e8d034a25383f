//===- vectorised.c - both sweeps vectorise where the primal does ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The innermost loops of the verso, and those of the recto that the verso needs,
// each found by the vectoriser's name for its body. Where the primal adds up, it
// has an order, so that only its reverse vectorises. Of two versions, the one for
// arguments that are apart. LLVM 19 does not vectorise the convolution's.
//
//===----------------------------------------------------------------------===//

// REQUIRES: llvm22
// RUN: %clang_verso -O3 -mavx2 -mfma -fno-discard-value-names -S -emit-llvm %s \
// RUN:   -o %t.ll
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=DOT
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=AXPY
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=MATVEC
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=STENCIL
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=CONV
// RUN: FileCheck %s --input-file=%t.ll --check-prefix=LSE

#include <math.h>

extern int verso_dup, verso_const, verso_out;
void __verso_grad_void(void *, ...);

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * y[i];
  return sum;
}
// DOT-LABEL: define internal void @verso.gradient.dot(
// DOT: {{^}}vector.body{{[0-9]*}}:
// DOT: fadd {{.*}}<4 x double>
// DOT: store <4 x double>
// DOT: {{^}}}
void of_dot(double *x, double *dx, double *y, double *dy, int n) {
  __verso_grad_void((void *)dot, verso_dup, x, dx, verso_dup, y, dy,
                    verso_const, n);
}

static void axpy(double a, const double *x, double *restrict y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}
// AXPY-LABEL: define internal double @verso.gradient.axpy(
// AXPY: {{^}}vector.body{{[0-9]*}}:
// AXPY: fmuladd.v4f64
// AXPY: {{^}}vector.body{{[0-9]*}}:
// AXPY: phi <4 x double>
// AXPY: {{^}}}
void of_axpy(double *a, double *da, double *x, double *dx, double *y,
             double *dy, int n) {
  *da += ((double (*)(void *, ...))__verso_grad_void)(
      (void *)axpy, verso_out, *a, verso_dup, x, dx, verso_dup, y, dy,
      verso_const, n);
}

static void matvec(const double *a, const double *x, double *y, int m, int n) {
  for (int i = 0; i < m; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j)
      sum += a[i * n + j] * x[j];
    y[i] = sum;
  }
}
// Two kinds of sums: of a row in registers, of the matrix in memory.
// MATVEC-LABEL: define internal void @verso.gradient.matvec.disjoint.arguments(
// MATVEC: {{^}}vector.body{{[0-9]*}}:
// MATVEC: store <4 x double>
// MATVEC: store <4 x double>
// MATVEC: {{^}}}
void of_matvec(double *a, double *da, double *x, double *dx, double *y,
               double *dy, int m, int n) {
  __verso_grad_void((void *)matvec, verso_dup, a, da, verso_dup, x, dx,
                    verso_dup, y, dy, verso_const, m, verso_const, n);
}

static void stencil(const double *x, double *y, int n) {
  for (int i = 1; i + 1 < n; ++i)
    y[i] = x[i - 1] + 0.5 * x[i] * x[i + 1];
}
// STENCIL-LABEL: define internal void @verso.gradient.stencil.disjoint.arguments(
// STENCIL: {{^}}vector.body{{[0-9]*}}:
// STENCIL: fmuladd.v4f64
// STENCIL: {{^}}vector.body{{[0-9]*}}:
// STENCIL: shufflevector <4 x double>
// STENCIL: store <4 x double>
// STENCIL: {{^}}}
void of_stencil(double *x, double *dx, double *y, double *dy, int n) {
  __verso_grad_void((void *)stencil, verso_dup, x, dx, verso_dup, y, dy,
                    verso_const, n);
}

static void convolution(const double *x, const double *w, double *y, int n) {
  for (int i = 0; i + 3 <= n; ++i) {
    double sum = 0;
    for (int j = 0; j < 3; ++j)
      sum += w[j] * x[i + j];
    y[i] = sum;
  }
}
// Of the image, sums that travel; of the filter, three sums in registers.
// CONV-LABEL: define internal void @verso.gradient.convolution.disjoint.arguments(
// CONV: {{^}}vector.body{{[0-9]*}}:
// CONV: fmuladd.v4f64
// CONV: {{^}}vector.body{{[0-9]*}}:
// CONV-COUNT-5: phi <4 x double>
// CONV: store <4 x double>
// CONV: {{^}}}
void of_convolution(double *x, double *dx, double *w, double *dw, double *y,
                    double *dy, int n) {
  __verso_grad_void((void *)convolution, verso_dup, x, dx, verso_dup, w, dw,
                    verso_dup, y, dy, verso_const, n);
}

static double logsumexp(const double *x, int n) {
  double max = x[0], sum = 0;
  for (int i = 1; i < n; ++i)
    max = x[i] > max ? x[i] : max;
  for (int i = 0; i < n; ++i)
    sum += exp(x[i] - max);
  return log(sum) + max;
}
// LSE-LABEL: define internal void @verso.gradient.logsumexp(
// LSE: {{^}}vector.body{{[0-9]*}}:
// LSE: phi <4 x double>
// LSE: store <4 x double>
// LSE: {{^}}}
void of_logsumexp(double *x, double *dx, int n) {
  __verso_grad_void((void *)logsumexp, verso_dup, x, dx, verso_const, n);
}
