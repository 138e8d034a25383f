//===- numerical-library.c - functions of BLAS of another type ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call of BLAS or LAPACK has a body where it is declared as we know it. With
// integers of 64 bits, or another result, it is a function that nobody has
// defined; so it is if it writes integers and none is seen to have 32 bits.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O0 -gline-tables-only -c %s -o %t.o 2> %t.0
// RUN: FileCheck %s < %t.0
// RUN: not %clang_verso -O2 -gline-tables-only -c %s -o %t.o 2> %t.2
// RUN: FileCheck %s < %t.2
// RUN: not %clang_verso -O2 -gline-tables-only -mllvm -verso-strategy=taped -c %s -o %t.o 2> %t.t
// RUN: FileCheck %s < %t.t

double __verso_grad(void *, ...);
extern int verso_dup;

double cblas_ddot(long, const double *, long, const double *, long);
double ddot_(const long *, const double *, const long *, const double *,
             const long *);
double sasum_(const int *, const float *, const int *); // f2c's result
double cblas_dnrm2(int, const double *, int);

void dpotrf_(const char *, const int *, double *, const int *, int *);
void dgetrf_(void *, void *, double *, void *, void *, void *);
int LAPACKE_dpotrf(int, char, long, double *, long);
extern int verso_const;

static double as_value(const double *x) {
  // CHECK-DAG: numerical-library.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}cblas_ddot
  return cblas_ddot(3, x, 1, x, 1);
}
static double in_memory(const double *x) {
  long n = 3, step = 1;
  // CHECK-DAG: numerical-library.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}ddot_
  return ddot_(&n, x, &step, x, &step);
}
static double other_result(const float *x) {
  int n = 3, step = 1;
  // CHECK-DAG: numerical-library.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}sasum_
  return sasum_(&n, x, &step);
}
static double known(const double *x) { return cblas_dnrm2(3, x, 1); }
static double unseen(double *x, int *n) {
  // CHECK-DAG: numerical-library.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}dpotrf_{{.*}}nothing shows that they have 32 bits{{.*}}int n; dpotrf_(..., &n, ...)
  dpotrf_("L", n, x, n, n + 1);
  return x[0];
}
static double one_is_long(double *x, int *n) {
  int m = 3, info;
  struct {
    int first;
    long rows;
  } s = {3, 3};
  // CHECK-DAG: numerical-library.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}dgetrf_{{.*}}have 64 bits
  dgetrf_(&m, &m, x, &s.rows, n, &info);
  return x[0];
}
static double other_type(double *x) {
  // CHECK-DAG: numerical-library.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}LAPACKE_dpotrf{{.*}}declare it as its library does
  LAPACKE_dpotrf(102, 'L', 3, x, 3);
  return x[0];
}
static double seen(double *x, int *n) {
  int m = 3;
  dgetrf_(&m, n, x, n, n, n);
  dpotrf_("L", n, x, &m, n);
  return x[0];
}

void gradients(double *x, double *d, float *y, float *e, int *n) {
  __verso_grad(as_value, verso_dup, x, d);
  __verso_grad(in_memory, verso_dup, x, d);
  __verso_grad(other_result, verso_dup, y, e);
  __verso_grad(known, verso_dup, x, d);
  __verso_grad(unseen, verso_dup, x, d, verso_const, n);
  __verso_grad(one_is_long, verso_dup, x, d, verso_const, n);
  __verso_grad(other_type, verso_dup, x, d);
  __verso_grad(seen, verso_dup, x, d, verso_const, n);
}
// CHECK-NOT: {{dnrm2|'seen'}}
// CHECK-NOT: Stack dump
