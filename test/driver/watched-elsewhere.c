//===- watched-elsewhere.c - memory that another file watches -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file with the request knows nothing of it and takes what it reads before
// it writes for untouched. Memory that is behind an argument with a shadow, too,
// has one adjoint, in the watch, whatever reads it: the part beyond the first
// number of the argument, of whose extent nothing is known here. Where it is the
// first, the request ends in an error.
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O2 -DWATCHES -c %s -o %t.watches.o
// RUN: %clang_verso -O2 -mllvm -verso-strategy=taped -c %s -o %t.O2.o
// RUN: %clang %t.watches.o %t.O2.o -o %t.O2 %verso_libs
// RUN: %t.O2
// RUN: %clang_verso -O0 -mllvm -verso-strategy=taped -c %s -o %t.O0.o
// RUN: %clang %t.watches.o %t.O0.o -o %t.O0 %verso_libs
// RUN: %t.O0
// RUN: env VERSO_OPTIONS=-verso-check %clang_verso -O2 -mllvm -verso-strategy=taped -c %s -o %t.check.o
// RUN: %clang %t.watches.o %t.check.o -o %t.check %verso_libs
// RUN: %t.check

#include <stddef.h>
#include <stdio.h>

double gradient(double *x, double *dx, double *y, int n);

#ifdef WATCHES
void verso_watch(void *, size_t);
void verso_unwatch(void *);
void *verso_adjoint_of(const void *);

static int check(const char *what, double got, double expected) {
  if (got == expected)
    return 0;
  printf("%s: %g, not %g\n", what, got, expected);
  return 1;
}

/// sum of x[i]^2, before and after all are scaled by x[0].
int main(void) {
  int wrong = 0;
  for (int watched = 0; watched < 3; ++watched) {
    double x[] = {2, 3, 5}, dx[3] = {0}, y[3];
    if (watched == 1)
      verso_watch(x + 1, 2 * sizeof *x);
    wrong |= check("value", gradient(x, dx, y, 3), 38 * 5);
    const double *adjoint = dx;
    if (watched == 1) {
      for (int i = 1; i < 3; ++i)
        wrong |= check("shadow", dx[i], 0);
      adjoint = (double *)verso_adjoint_of(x + 1) - 1;
    }
    wrong |= check("first", dx[0], 2 * 2 * 5 + 2 * 2 * 38);
    wrong |= check("second", adjoint[1], 2 * 3 * 5);
    wrong |= check("third", adjoint[2], 2 * 5 * 5);
    if (watched == 1)
      verso_unwatch(x + 1);
  }
  return wrong;
}
#else
extern int verso_dup, verso_dupnoneed, verso_const;
double __verso_value_and_grad(void *, ...);

static double f(const double *restrict x, double *restrict y, int n) {
  double sum = 0, scale = x[0];
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i]; // Nobody has written it.
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * scale;
  for (int i = 0; i < n; ++i)
    sum += y[i] * y[i];
  return sum;
}

double gradient(double *x, double *dx, double *y, int n) {
  double dy[3] = {0};
  return __verso_value_and_grad((void *)f, verso_dup, x, dx, verso_dup, y, dy,
                                verso_const, n);
}
#endif
