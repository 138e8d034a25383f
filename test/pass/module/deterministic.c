//===- deterministic.c - two runs, the same module ------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, order of functions and of instructions do not depend on where objects
// happen to lie in the compiler's memory: reverse and forward mode, widths,
// nested requests, several twins of a function, the table of pointers. The
// object files are compared in driver/deterministic.c.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -mllvm -verso-all-twins -S -emit-llvm %s -o %t.1.ll
// RUN: %clang_verso -O1 -mllvm -verso-all-twins -S -emit-llvm %s -o %t.2.ll
// RUN: env VERSO_NO_SUCH_VARIABLE=%t.%t.%t.%t %clang_verso -O1 -mllvm -verso-all-twins -S -emit-llvm %s -o %t.3.ll
// RUN: cmp %t.1.ll %t.2.ll
// RUN: cmp %t.1.ll %t.3.ll
// RUN: FileCheck %s < %t.1.ll

// CHECK-DAG: define {{.*}} @inner.twin
// CHECK-DAG: @verso.twins = {{.*}}@inner

#include <math.h>

double __verso_grad(void *, ...);
double __verso_jvp(void *, ...);
struct four {
  double d[4];
};
struct four __verso_jvp_four(void *, ...);
extern int verso_dup, verso_const, verso_width;

__attribute__((noinline)) static double inner(double x) { return sin(x) * x; }
__attribute__((noinline)) static double both(double x, double y) {
  return inner(x) * exp(y);
}
static double a(double x) { return both(x, 2) + both(3, x) + both(x, x); }
static double (*const table[])(double) = {a, inner};
static double c(double x, int i) { return table[i](x); }
static double slope(double x) { return __verso_grad(a, x); }
static double sum(const double *p, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += inner(p[i]) * p[i];
  return s;
}

double f(double x, int i) {
  return __verso_grad(c, x, i) + __verso_jvp(c, x, 1.0, i);
}
double g(double x) {
  return __verso_grad(slope, x) + __verso_jvp(slope, x, 1.0);
}
double h(double *p, double *dp, int n) {
  __verso_grad(sum, verso_dup, p, dp, n);
  return __verso_jvp(sum, verso_dup, p, dp, n);
}
double k(double x) {
  struct four all = __verso_jvp_four(a, verso_width, 4, x, 1.0, 2.0, 3.0, 4.0);
  return all.d[0] + all.d[3];
}
