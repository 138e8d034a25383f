//===- allocations-that-fail.c - blocks that could not be had -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that looks whether there was memory goes on without: there are no
// shadows, images or tangents of a block that is not there.
//
//
// A sanitizer ends a program that asks for too much.
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//

#include "../forward/forward.h"
#include <stdlib.h>

enum { N = 4 };

static double sum_in(double *p, double *block, const double *x) {
  double *at = block ? block : p;
  for (int i = 0; i < N; ++i)
    at[i] = x[i] * x[i];
  double sum = at[0] * at[3] + p[1];
  free(at);
  return sum;
}

CHECK_NOINLINE static double with_malloc(const double *x, size_t bytes) {
  double *p = calloc(N, sizeof(double));
  return sum_in(p, malloc(bytes), x);
}

CHECK_NOINLINE static double with_calloc(const double *x, size_t bytes) {
  double *p = calloc(N, sizeof(double));
  return sum_in(p, calloc(bytes, 1), x);
}

CHECK_NOINLINE static double with_aligned(const double *x, size_t bytes) {
  double *p = calloc(N, sizeof(double));
  return sum_in(p, aligned_alloc(64, bytes), x);
}

CHECK_NOINLINE static double with_realloc(const double *x, size_t bytes) {
  double *p = malloc(N * sizeof(double));
  for (int i = 0; i < N; ++i)
    p[i] = 3 * x[i];
  double *more = realloc(p, bytes);
  p = more ? more : p;
  double sum = 0;
  for (int i = 0; i < N; ++i)
    sum += p[i] * p[i];
  free(p);
  return sum;
}

// More than any address space has; volatile, for the compiler knows that, too.
static volatile size_t much = (size_t)1 << 60;

#define CHECK_WITH(how)                                                        \
  static double how##_much(double *x) { return how(x, much); }                 \
  static void check_##how(double *x) {                                         \
    double d[N] = {0};                                                         \
    __verso_grad_void((void *)how, verso_dup, x, d, verso_const,               \
                      (size_t)much);                                           \
    CHECK_GRADIENT(how##_much, N, x, d, 1e-7);                                 \
    CHECK_TRANSPOSE_SCALAR(how##_much, N, x);                                  \
  }
CHECK_WITH(with_malloc)
CHECK_WITH(with_calloc)
CHECK_WITH(with_aligned)
CHECK_WITH(with_realloc)

int main(void) {
  double x[N] = {0.5, -1, 2, 0.25};
  check_with_malloc(x);
  check_with_calloc(x);
  check_with_aligned(x);
  check_with_realloc(x);
  return check_status();
}
