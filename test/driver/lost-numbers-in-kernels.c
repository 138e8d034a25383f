//===- lost-numbers-in-kernels.c - what is no number any more -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel reads numbers as the tape does: where it finds half of another one,
// one that was overwritten in part, or bits that went through arithmetic, and the
// result depends on it, that is an error and no zero. All in local memory, of
// which the user has no shadow.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 %s -mllvm -verso-strategy=taped \
// RUN:   -mllvm -verso-kernels=always -Rpass=verso %verso_libs -o %t 2>&1 \
// RUN:   | FileCheck --check-prefix=SAID %s
// RUN: not %t 2>&1 | FileCheck %s
// RUN: not %t 1 2>&1 | FileCheck %s
// RUN: not %t 1 2 2>&1 | FileCheck %s
// RUN: not %t 1 2 3 2>&1 | FileCheck %s
// CHECK: depends on a number whose bits went through

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int verso_dup;
double __verso_grad(void *, ...);

typedef union {
  double d[8];
  float f[16];
  int32_t i[16];
  int64_t l[8];
} Cells;

static double ofFloats(const float *f, const double *x, double *y, int n) {
  // SAID: lost-numbers-in-kernels.c:[[#@LINE+1]]:{{[0-9]+}}: remark: one record
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      y[i] += f[2 * k + 1] * x[k];
  return y[0] + 2 * y[1];
}

static double ofDoubles(const double *d, const double *x, double *y, int n) {
  // SAID: lost-numbers-in-kernels.c:[[#@LINE+1]]:{{[0-9]+}}: remark: one record
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      y[i] += d[k] * x[k];
  return y[0] + 2 * y[1];
}

static Cells *doubled(const double *x) {
  Cells *c = malloc(sizeof *c);
  for (int i = 0; i < 8; ++i)
    c->d[i] = 2 * x[i];
  return c;
}

static double upperHalves(const double *x, double *y, int n) {
  return ofFloats(doubled(x)->f, x, y, n);
}

static double overwritten(const double *x, double *y, int n) {
  Cells *c = doubled(x);
  c->i[2] = n;
  return ofDoubles(c->d, x, y, n);
}

static double besideFloats(const double *x, double *y, int n) {
  Cells *c = calloc(1, sizeof *c);
  for (int i = 0; i < 8; ++i)
    c->f[2 * i + 1] = (float)x[i];
  return ofDoubles(c->d, x, y, n);
}

static double computed(const double *x, double *y, int n) {
  Cells *c = doubled(x);
  for (int i = 0; i < 8; ++i)
    c->l[i] = c->l[i] * 3 % 1234567;
  return ofDoubles(c->d, x, y, n);
}

int main(int argc, char **argv) {
  double x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, dx[8] = {0}, y[8] = {0}, dy[8] = {0};
  (void)argv;
  if (argc == 1)
    __verso_grad((void *)upperHalves, verso_dup, x, dx, verso_dup, y, dy, 4);
  else if (argc == 2)
    __verso_grad((void *)overwritten, verso_dup, x, dx, verso_dup, y, dy, 4);
  else if (argc == 3)
    __verso_grad((void *)besideFloats, verso_dup, x, dx, verso_dup, y, dy, 4);
  else
    __verso_grad((void *)computed, verso_dup, x, dx, verso_dup, y, dy, 4);
  return 0;
}
