//===- pointers-from-calls.c - pointers that a callee stores --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of the library, or one that is not differentiated, stores a
// pointer in a variable that held another one before. What it leads to is not
// what the program stored there.
//
//===----------------------------------------------------------------------===//

#define _POSIX_C_SOURCE 200809L
#include "check.h"

enum { N = 9 };

CHECK_NOINLINE __attribute__((annotate("verso_inactive"))) static void
fetch(void **p, int n) {
  *p = malloc(n * sizeof(double));
}

static double work(const double *x, double *first, double *second, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    first[i] = 3 * x[i];
  for (int i = 0; i < n; ++i)
    second[i] = x[i] * x[i];
  for (int i = 0; i < n; ++i)
    s += second[i] * x[i] + i * first[i] * x[i];
  return s;
}

CHECK_NOINLINE static double ofLibrary(const double *x, int n) {
  double local[N];
  void *p = local;
  if (posix_memalign(&p, 64, n * sizeof(double)))
    return 0;
  double s = work(x, local, p, n);
  free(p);
  return s;
}

CHECK_NOINLINE static double ofInactive(const double *x, int n) {
  double local[N];
  void *p = local;
  fetch(&p, n);
  double s = work(x, local, p, n);
  free(p);
  return s;
}

int main(void) {
  double x[N], d[N] = {0}, e[N] = {0};
  for (int i = 0; i < N; ++i)
    x[i] = 1 + 0.1 * i;
  __verso_grad_void((void *)ofLibrary, verso_dup, x, d, verso_const, N);
  __verso_grad_void((void *)ofInactive, verso_dup, x, e, verso_const, N);
  for (int i = 0; i < N; ++i) {
    CHECK_CLOSE(d[i], 3 * x[i] * x[i] + 6 * i * x[i], 1e-14);
    CHECK_CLOSE(e[i], 3 * x[i] * x[i] + 6 * i * x[i], 1e-14);
  }
  return check_status();
}
