//===- custom-vjp.c - mistakes in VJPs that are given ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each is reported at its line, or where the derivative that is missing is asked
// for.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -DMISTAKES -O0 -g -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -DMISTAKES -O2 -g -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -O2 -g -c %s -o %t.o 2>&1 | FileCheck --check-prefix=MISSING %s
// RUN: not %clang_verso -O0 -g -mllvm -verso-strategy=taped -c %s -o %t.o 2>&1 | FileCheck --check-prefix=MISSING %s

#include <verso/verso.h>

double square(const double *x, double *y, int n);
static void counts(size_t *c, const double *x, double *y, int n) {
  c[0] = c[1] = n;
}
static void vjp(const double *x, double *dx, const double *y, double *dy, int n,
                double d) {}
static double jvp(const double *x, const double *dx, const double *y,
                  double *dy, int n) {
  return 0;
}

#ifdef MISTAKES
double a(const double *x, double *y, int n);
double b(const double *x, double *y, int n);
double c(const double *x, double *y, int n);
double d(const double *x, double *y, int n);
double e(const double *x, double *y, int n);
double f(const double *x, double *y, int n);
long double g(const double *x, double *y, int n);
float h(const double *x, double *y, int n);
int number;

// CHECK-DAG: custom-vjp.c:[[@LINE+1]]:{{.*}}error: VERSO_CUSTOM_VJP: 'square' has 3 arguments, and there are 2 letters; give a string with a letter for each: r, w, u or -
VERSO_CUSTOM_VJP(square, double, "rw", counts, vjp, jvp);
// CHECK-DAG: custom-vjp.c:[[@LINE+1]]:{{.*}}error: VERSO_CUSTOM_VJP: 'x' is no role of an argument; r: read, w: written, u: both, -: no numbers that vary
VERSO_CUSTOM_VJP(a, double, "rx-", counts, vjp, jvp);
// CHECK-DAG: custom-vjp.c:[[@LINE+1]]:{{.*}}error: VERSO_CUSTOM_VJP: argument 3 of 'b' cannot be 'r'; of arguments by value, those of the second operand's type can be r, all can be -
VERSO_CUSTOM_VJP(b, double, "rwr", counts, vjp, jvp);
// CHECK-DAG: custom-vjp.c:[[@LINE+1]]:{{.*}}error: VERSO_CUSTOM_VJP: 'jvp' does not fit as the function that counts; it has to be void (size_t *, the arguments of 'c')
VERSO_CUSTOM_VJP(c, double, "rw-", jvp, vjp, jvp);
// CHECK-DAG: custom-vjp.c:[[@LINE+1]]:{{.*}}error: VERSO_CUSTOM_VJP: 'jvp' does not fit as the VJP of 'd'; it is void, and has 'd''s arguments, behind each pointer to numbers that of their adjoints
VERSO_CUSTOM_VJP(d, double, "rw-", counts, jvp, vjp);
// CHECK-DAG: custom-vjp.c:[[@LINE+1]]:{{.*}}error: VERSO_CUSTOM_VJP: 'vjp' does not fit as the JVP of 'e'; it returns the tangent of the result, if there is one, and has 'e''s arguments
VERSO_CUSTOM_VJP(e, double, "rw-", counts, 0, vjp);
// CHECK-DAG: custom-vjp.c:[[@LINE+1]]:{{.*}}error: VERSO_CUSTOM_VJP: the second operand is no type of numbers; say double or float, whichever 'f' works with
VERSO_CUSTOM_VJP(f, short, "rw-", counts, vjp, jvp);
// CHECK-DAG: custom-vjp.c:[[@LINE+1]]:{{.*}}error: VERSO_CUSTOM_VJP: 'g' returns neither a number of the second operand's type nor an integer nor nothing; write a function around it that does
VERSO_CUSTOM_VJP(g, double, "rw-", counts, vjp, jvp);
// CHECK-DAG: custom-vjp.c:[[@LINE+1]]:{{.*}}error: VERSO_CUSTOM_VJP: 'h' returns neither a number of the second operand's type
VERSO_CUSTOM_VJP(h, double, "rw-", counts, vjp, jvp);
// CHECK-DAG: custom-vjp.c:[[@LINE+1]]:{{.*}}error: VERSO_CUSTOM_VJP: the first operand is no function
VERSO_CUSTOM_VJP(&number, double, "rw-", counts, vjp, jvp);
#else
VERSO_CUSTOM_VJP(square, double, "rw-", counts, 0, jvp);
double other(const double *x, double *y, int n);
VERSO_CUSTOM_VJP(other, double, "rw-", counts, vjp, 0);
#endif

double both(const double *x) {
  double y[2];
#ifdef MISTAKES
  return square(x, y, 2) * y[0];
#else
  // MISSING-DAG: custom-vjp.c:[[@LINE+1]]:{{.*}}error: no VJP is given of 'square', {{.*}} give one as the fifth operand of VERSO_CUSTOM_VJP
  return square(x, y, 2) * y[0] +
         // MISSING-DAG: custom-vjp.c:[[@LINE+1]]:{{.*}}error: no JVP is given of 'other', {{.*}} give one as the last operand of VERSO_CUSTOM_VJP
         other(x, y, 2) * y[1];
#endif
}
double gradient(const double *x, double *dx) {
  __verso_grad(both, verso_dup, x, dx);
  return __verso_jvp(both, verso_dup, x, dx);
}
