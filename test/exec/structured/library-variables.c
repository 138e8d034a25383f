//===- library-variables.c - errno and signgam in loops -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mathematical function writes a variable of the library, which the program
// reads at once and the next call overwrites: the reverse sweep may not read it
// again.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "check.h"
#include <errno.h>

enum { N = 8 };

/// Gamma(t), whose sign is in a global variable of the library.
CHECK_NOINLINE static double gammas(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double t = i % 2 ? x[i] - 2 : x[i];
    double l = lgamma(t);
    s += signgam * exp(l) * x[i];
  }
  return s;
}

/// From the first error on, other numbers are summed.
CHECK_NOINLINE static double untilError(const double *x, int n) {
  double s = 0;
  errno = 0;
  for (int i = 0; i < n; ++i) {
    double y = log(i == n / 2 ? -x[i] : x[i]);
    if (errno == 0)
      s += y * y;
    else
      s += 3 * x[i] * x[i];
  }
  return s;
}

static double ofGammas(double *x) { return gammas(x, N); }

int main(void) {
  double x[N], d[N] = {0}, e[N] = {0};
  for (int i = 0; i < N; ++i)
    x[i] = 1.2 + 0.09 * i;
  __verso_grad_void((void *)gammas, verso_dup, x, d, verso_const, N);
  CHECK_GRADIENT(ofGammas, N, x, d, 1e-7);
  __verso_grad_void((void *)untilError, verso_dup, x, e, verso_const, N);
  for (int i = 0; i < N; ++i)
    CHECK_CLOSE(e[i], i < N / 2 ? 2 * log(x[i]) / x[i] : 6 * x[i], 1e-14);
  return check_status();
}
