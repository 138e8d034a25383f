//===- vectorised.c - loops over tangents vectorise ------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loop of a jvp vectorises where the primal loop does: a reduction with
// reassociation allowed, and one that writes to memory without. With pointers
// that the request gave shadows for, there is nothing else in the loop.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O3 -DSTRICT -c %s -o %t.o -Rpass=loop-vectorize 2>&1 | FileCheck %s --check-prefix=AXPY
// RUN: %clang_verso -O3 -fassociative-math -fno-signed-zeros -fno-trapping-math -fno-math-errno -c %s -o %t.o -Rpass=loop-vectorize 2>&1 | FileCheck %s --check-prefix=DOT
// RUN: %clang_verso -O3 -fassociative-math -fno-signed-zeros -fno-trapping-math -fno-math-errno -S -emit-llvm %s -o - | FileCheck %s --check-prefix=IR

double __verso_jvp(void *, ...);
void __verso_jvp_void(void *, ...);
extern int verso_dup, verso_const;

#ifdef STRICT
// AXPY: vectorised.c:[[#@LINE+4]]:3: remark: vectorized loop
// AXPY: vectorised.c:[[#@LINE+3]]:3: remark: vectorized loop
static void axpy(double a, const double *restrict x, double *restrict y,
                 int n) {
  for (int i = 0; i < n; ++i)
    y[i] += a * x[i];
}
void tangent_of_axpy(double a, double *x, double *dx, double *y, double *dy,
                     int n) {
  __verso_jvp_void(axpy, a, 1.0, verso_dup, x, dx, verso_dup, y, dy, n);
}
void primal_of_axpy(double a, double *x, double *y, int n) { axpy(a, x, y, n); }
#else
// DOT: vectorised.c:[[#@LINE+8]]:3: remark: vectorized loop
// IR-LABEL: define {{.*}}@tangent_of_dot(
// IR: fmul {{.*}}<2 x double>
// IR: call {{.*}}<2 x double> @llvm.fmuladd.v2f64
// IR: fadd {{.*}}<2 x double>
// IR: ret double
static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * y[i];
  return sum;
}
double tangent_of_dot(double *x, double *dx, double *y, double *dy, int n) {
  return __verso_jvp(dot, verso_dup, x, dx, verso_dup, y, dy, n);
}
#endif
