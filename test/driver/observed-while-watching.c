//===- observed-while-watching.c - a request of an inactive function ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// It is in another file, reads what is watched and is called by a request that
// reads nothing of it: after that the adjoints are those of the outer one, zero.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -DOBSERVES -c %s -o %t.observes.o
// RUN: %clang_verso -O2 %s %t.observes.o -o %t.O2 %verso_libs
// RUN: %t.O2
// RUN: %clang_verso -O0 %s %t.observes.o -o %t.O0 %verso_libs
// RUN: %t.O0
// RUN: %clang_verso -O2 -mllvm -verso-strategy=taped %s %t.observes.o -o %t.taped %verso_libs
// RUN: %t.taped

#include <verso/verso.h>

double observed(const double *w);

#ifdef OBSERVES
static double energy(const double *w, double u) { return u * w[0] * w[1]; }

double observed(const double *w) {
  return __verso_grad((void *)energy, verso_const, w, verso_out, 2.0);
}

// This file watches, too.
void watch(double *w);
void watch(double *w) { verso_watch(w, 2 * sizeof *w); }
#else
#include <stdio.h>

VERSO_INACTIVE VERSO_WRITES_NO_NUMBERS double observed(const double *w);

static double w[2] = {3, 4};
static double scaled(double x) { return observed(w) * x; }

static int check(const char *what, double got, double expected) {
  if (got == expected)
    return 0;
  printf("%s: %g, not %g\n", what, got, expected);
  return 1;
}

int main(void) {
  int wrong = 0;
  verso_watch(w, sizeof w);
  const double *adjoint = (const double *)verso_adjoint_of(w);
  wrong |= check("observed", observed(w), 12);
  wrong |= check("its adjoint", adjoint[0], 2 * 4);
  wrong |= check("gradient", __verso_grad((void *)scaled, verso_out, 5.0), 12);
  adjoint = (const double *)verso_adjoint_of(w);
  wrong |= check("no adjoint", adjoint[0], 0);
  return wrong;
}
#endif
