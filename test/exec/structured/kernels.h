//===- kernels.h - kernels that the tape judges -----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// KERNEL defines a function of an array and a number of rows twice, structured
// and taped; ALL runs both for several numbers of rows and compares gradients
// and results. With CONSTANTS defined there is one number of rows that all
// calls agree on, so that the optimiser puts it in its place.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TEST_EXEC_STRUCTURED_KERNELS_H
#define VERSO_TEST_EXEC_STRUCTURED_KERNELS_H

#include "../check.h"
#include "verso/verso.h"
#include <stddef.h>

enum { N = 7, SIZE = 200 };

/// (Rows of length -1, of unsigned type, are no overflow.)
#define WRAPS __attribute__((no_sanitize("pointer-overflow")))
#define KERNEL(NAME, ...)                                                      \
  VERSO_STRATEGY(structured)                                                   \
  WRAPS CHECK_NOINLINE static double NAME(double *x, size_t n)                 \
      __VA_ARGS__ VERSO_STRATEGY(taped)                                        \
  WRAPS CHECK_NOINLINE static double NAME##_taped(double *x, size_t n)         \
      __VA_ARGS__

#define SUM(LAST)                                                              \
  double s = 0;                                                                \
  for (size_t t = 0; t < (LAST); ++t)                                          \
    s += x[t] * x[t] * (1 + 0.01 * (double)t);                                 \
  return s;

typedef double kernel(double *, size_t);

static void fill(double *x) {
  for (int i = 0; i < SIZE; ++i)
    x[i] = 1 + 0.9 * sin(i * i + 1.0) + (i % 8 == 0 ? 0.5 : 0);
}

static void compare(const char *name, const double *x, const double *x_taped,
                    const double *d, const double *d_taped, size_t n) {
  for (int i = 0; i < SIZE; ++i) {
    double scale = fmax(1, fabs(d_taped[i]));
    if (!(fabs(d[i] - d_taped[i]) <= 1e-11 * scale) || x[i] != x_taped[i])
      fprintf(stderr, "%s, n = %zu, element %d:\n", name, n, i);
    CHECK_CLOSE(d[i], d_taped[i], 1e-11);
    CHECK_EQUAL(x[i], x_taped[i]);
  }
}

#define RUN(NAME, COUNT)                                                       \
  do {                                                                         \
    double x[SIZE], y[SIZE], d[SIZE] = {0}, e[SIZE] = {0};                     \
    size_t count = (COUNT);                                                    \
    fill(x);                                                                   \
    fill(y);                                                                   \
    __verso_grad_void((void *)NAME, verso_dup, x, d, verso_const, count);      \
    __verso_grad_void((void *)NAME##_taped, verso_dup, y, e, verso_const,      \
                      count);                                                  \
    compare(#NAME, x, y, d, e, count);                                         \
  } while (0)

#ifdef CONSTANTS
#define ALL(NAME) RUN(NAME, N)
#else
#define ALL(NAME)                                                              \
  for (volatile size_t n = 0; n <= N; ++n)                                     \
  RUN(NAME, n)
#endif

#endif // VERSO_TEST_EXEC_STRUCTURED_KERNELS_H
