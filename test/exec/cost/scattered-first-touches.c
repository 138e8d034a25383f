//===- scattered-first-touches.c - searches of the log are not linear -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cells that are stored to before they are read have entries of the log without
// a leaf, one each where they do not follow one another. What was copied
// without a type asks the log who gave out its IDs, once a cell, and went
// through all such entries. A million of each took a million squared steps,
// which no time limit of a test allows.
//
//===----------------------------------------------------------------------===//

// STRATEGY: taped
// UNCHECKED: forward mode and a comparison of a million cells take their time

#include "../check.h"

enum { N = 1 << 20, Way = 524287 };

static void scatter(const double *x, double *y, double *z, double a) {
  memcpy(y, x, N * sizeof *y);
  for (int i = 0; i < N; ++i)
    z[(long)i * Way % N] = a * i;
}

static double x[N], dx[N], y[N], dy[N], z[N], dz[N];

double __verso_vjp_double(void *, ...);

int main(void) {
  double sum = 0;
  for (int i = 0; i < N; ++i) {
    dy[i] = i % 7;
    dz[i] = i % 3;
  }
  for (long i = 0; i < N; ++i)
    sum += (double)(i * Way % N % 3) * i;
  double da = __verso_vjp_double((void *)scatter, verso_dup, x, dx, verso_dup,
                                 y, dy, verso_dup, z, dz, verso_out, 2.0);
  CHECK_CLOSE(da, sum, 1e-12);
  for (int i = 0; i < N; i += 1001) {
    CHECK_EQUAL(dx[i], i % 7);
    CHECK_EQUAL(dy[i], 0);
    CHECK_EQUAL(dz[i], 0);
  }
  return check_status();
}
