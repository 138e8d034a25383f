//===- forward-pointer-by-integer.c ---------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer is computed as an integer, at a distance that was loaded from
// duplicated memory: its tangents lie at that distance, too. Found by
// test/fuzz (seed 199), whose oracles judge it.
//
//===----------------------------------------------------------------------===//

#include "../../fuzz/program.h"
double f(double *x, double *y, FLT *w, T *t, double **m, N *l, double a, int n) {
  double *p = (double *)((uintptr_t)y + 8 * ((t->n + 4) & 3));
  p[1] = sin(a);
  t->z[3] = p[2];
  return 0;
}
#include "../../fuzz/oracle.h"
