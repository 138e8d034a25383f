//===- pools.c - memory that holds numbers now and other things later -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What type-based alias information says is true of a moment. The reverse
// sweep reads numbers at a time when the program had long written integers or
// pointers there, and a shadow holds the shadows of pointers.
//
//===----------------------------------------------------------------------===//

#include "check.h"

enum { N = 40 };

/// sum x^4 and what the integers give, in one piece of memory.
CHECK_NOINLINE static double thenIntegers(const double *x, int n, char *pool) {
  double sum = 0;
  double *a = (double *)pool;
  for (int i = 0; i < n; ++i)
    a[i] = x[i] * x[i];
  for (int i = 0; i < n; ++i)
    sum += a[i] * a[i];
  long *b = (long *)pool, t = 0;
  for (int i = 0; i < n; ++i)
    b[i] = i + n;
  for (int i = 0; i < n; ++i)
    t += b[(i * 7) % n];
  return sum + t;
}

CHECK_NOINLINE static double fresh(const double *x, int n) {
  char *pool = malloc(N * sizeof(double));
  double s = thenIntegers(x, n, pool);
  free(pool);
  return s;
}

/// sum x^3, by pointers in memory that holds numbers afterwards.
CHECK_NOINLINE static double afterPointers(const double *x, int n) {
  char *pool = malloc(N * sizeof(double));
  double *scratch = malloc(N * sizeof(double)), sum = 0;
  double **p = (double **)pool;
  for (int i = 0; i < n; ++i)
    p[i] = scratch + (n - 1 - i);
  for (int i = 0; i < n; ++i)
    scratch[n - 1 - i] = x[i];
  for (int i = 0; i < n; ++i)
    sum += *p[i] * *p[i] * x[i];
  double *q = (double *)pool;
  for (int i = 0; i < n; ++i)
    q[i] = x[i] * i;
  for (int i = 0; i < n; ++i)
    sum += q[(i * 3) % n];
  free(pool);
  free(scratch);
  return sum;
}

int main(void) {
  double x[N], d[N] = {0}, e[N] = {0}, u[N] = {0};
  double pool[N] = {0}, shadow[N] = {0};
  for (int i = 0; i < N; ++i)
    x[i] = 1 + 0.1 * i;
  __verso_grad_void((void *)fresh, verso_dup, x, d, verso_const, N);
  __verso_grad_void((void *)thenIntegers, verso_dup, x, e, verso_const, N,
                    verso_dup, pool, shadow);
  __verso_grad_void((void *)afterPointers, verso_dup, x, u, verso_const, N);
  for (int i = 0; i < N; ++i) {
    CHECK_CLOSE(d[i], 4 * x[i] * x[i] * x[i], 1e-14);
    CHECK_CLOSE(e[i], 4 * x[i] * x[i] * x[i], 1e-14);
    // 3 k mod N takes every index once.
    CHECK_CLOSE(u[i], 3 * x[i] * x[i] + i, 1e-14);
  }
  return check_status();
}
