//===- restrict-in-a-loop.c - what restrict says, and for how long --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two buffers change places between calls of a function whose arguments are
// `restrict`: true of each call, not of the sweep that repeats its loads when all
// of them have run. This was once wrong in silence.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { N = 12, STEPS = 5 };

__attribute__((always_inline)) static inline void
step(const double *restrict from, double *restrict to) {
  for (int i = 1; i + 1 < N; ++i)
    to[i] = from[i] + 0.1 * (from[i] * from[i] + from[i - 1] * from[i + 1]);
}

static double diffuse(const double *x) {
  double *now = malloc(N * sizeof(double)), *then = malloc(N * sizeof(double));
  memcpy(now, x, N * sizeof(double));
  memcpy(then, x, N * sizeof(double));
  for (int k = 0; k < STEPS; ++k) {
    step(now, then);
    double *t = now;
    now = then;
    then = t;
  }
  double sum = 0;
  for (int i = 0; i < N; ++i)
    sum += now[i] * (i + 1);
  free(now);
  free(then);
  return sum;
}

static double of_array(double *x) { return diffuse(x); }

int main(void) {
  double x[N], dx[N] = {0};
  for (int i = 0; i < N; ++i)
    x[i] = 0.3 + 0.05 * i;
  __verso_grad_void(diffuse, verso_dup, x, dx);
  CHECK_GRADIENT(of_array, N, x, dx, 1e-7);
  return check_status();
}
