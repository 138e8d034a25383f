//===- second-derivative-through-copied-pointer.c -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward mode over a reverse request in which a struct with a pointer to
// tracked memory is copied and read back: second derivatives with respect to
// what it points to were zero. Found by test/fuzz (seed 5012), whose oracles
// judge it.
//
//===----------------------------------------------------------------------===//

#define SECOND
#include "../../fuzz/program.h"
double f(double *x, double *y, FLT *w, T *t, double **m, N *l, double a, int n) {
  T copy = *t;
  *t = copy;
  l->v = t->z[2] * t->z[2] * t->z[1];
  return 0;
}
#include "../../fuzz/oracle.h"
