//===- unaligned-shadows.c - shadows aligned as ordinary numbers ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arrays of the function are aligned for vectors, and it says so. Their
// shadows and tangents are ordinary arrays.
//
//===----------------------------------------------------------------------===//

#define _ISOC11_SOURCE
#include "check.h"

double __verso_jvp(void *, ...);

typedef double vector __attribute__((vector_size(32)));
typedef struct {
  double d[8];
} __attribute__((aligned(64))) block;

enum { N = 64 };

/// sum x^2; y = x^2
CHECK_NOINLINE static double vectors(const double *x, double *y, int n) {
  vector t = {0};
  for (int i = 0; i < n; i += 4) {
    vector a = *(const vector *)(x + i) * *(const vector *)(x + i);
    *(vector *)(y + i) = a;
    t += a;
  }
  return t[0] + t[1] + t[2] + t[3];
}

CHECK_NOINLINE static double blocks(const double *x, double *y, int n) {
  double s = 0;
  for (int i = 0; i < n / 8; ++i) {
    const block *p = (const block *)x + i;
    block *q = (block *)y + i;
    for (int k = 0; k < 8; ++k)
      q->d[k] = p->d[k] * p->d[k];
    for (int k = 0; k < 8; ++k)
      s += q->d[k];
  }
  return s;
}

int main(void) {
  double *x = aligned_alloc(64, 2 * N * sizeof(double)), *y = x + N;
  // One element off.
  double *dx = (double *)aligned_alloc(64, 2 * (N + 8) * sizeof(double)) + 1;
  double *dy = dx + N;
  for (int i = 0; i < N; ++i) {
    x[i] = 1 + i;
    dx[i] = 0;
    dy[i] = 1;
  }
  __verso_grad_void((void *)vectors, verso_dup, x, dx, verso_dup, y, dy,
                    verso_const, N);
  for (int i = 0; i < N; ++i) {
    CHECK_EQUAL(y[i], x[i] * x[i]);
    CHECK_EQUAL(dx[i], 4 * x[i]);
    CHECK_EQUAL(dy[i], 0);
    dx[i] = 0;
    dy[i] = 1;
  }
  __verso_grad_void((void *)blocks, verso_dup, x, dx, verso_dup, y, dy,
                    verso_const, N);
  for (int i = 0; i < N; ++i) {
    CHECK_EQUAL(dx[i], 4 * x[i]);
    dx[i] = i == 3;
  }
  CHECK_EQUAL(__verso_jvp((void *)vectors, verso_dup, x, dx, verso_dup, y, dy,
                          verso_const, N),
              8);
  CHECK_EQUAL(dy[3], 8);
  CHECK_EQUAL(__verso_jvp((void *)blocks, verso_dup, x, dx, verso_dup, y, dy,
                          verso_const, N),
              8);
  free(x);
  free(dx - 1);
  return check_status();
}
