//===- handed-out.c - memory that a function out of sight keeps -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function without a body here may keep the pointer that it is given, and
// another may return it: numbers that were stored in between vary there. Not so
// in memory that nobody was given. (The two are called by other names, so that
// the compiler does not see that they are these.)
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);
__attribute__((annotate("verso_inactive"))) void keep(double **p);
__attribute__((annotate("verso_inactive"))) double **kept(void);

static double **where;
__attribute__((used, noinline)) static void keep_body(double **p) {
  __asm__ volatile("" ::: "memory");
  where = p;
}
__attribute__((used, noinline)) static double **kept_body(void) {
  __asm__ volatile("" ::: "memory");
  return where;
}
__asm__(".globl keep\n.set keep, keep_body\n.globl kept\n.set kept, kept_body");

enum { N = 3 };

CHECK_NOINLINE static double through(const double *x, int n) {
  double *row = malloc(sizeof(double) * (unsigned)n), *own = malloc(8 * N);
  double **table = malloc(sizeof *table), sum = 0;
  *table = row;
  keep(table);
  for (int i = 0; i < n; ++i) {
    row[i] = x[i] * x[i];
    own[i] = 3 * x[i];
  }
  const double *back = *kept();
  for (int i = 0; i < n; ++i)
    sum += back[i] * own[i];
  free(table);
  free(own);
  free(row);
  return sum;
}

int main(void) {
  double x[N] = {1, 2, 3}, d[N] = {0};
  __verso_grad_void(through, verso_dup, x, d, verso_const, N);
  for (int i = 0; i < N; ++i)
    CHECK_CLOSE(d[i], 9 * x[i] * x[i], 1e-12);
  return check_status();
}
