//===- memory-in-time.c - what may be loaded again ------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that are needed backwards and overwritten before: in place, by a
// neighbour, through an argument that is the same array, by a swap of two
// buffers, by an index that changes, on the heap. Against differences.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { N = 6 };

static double in_place(double *x) {
  for (int step = 0; step < 4; ++step)
    for (int i = 1; i < N; ++i)
      x[i] = x[i] * x[i - 1] + 0.2;
  return x[N - 1];
}

CHECK_NOINLINE static void mix(double *to, const double *from, int n) {
  for (int i = 0; i + 1 < n; ++i)
    to[i] = sin(from[i + 1]) * to[i] + 0.1 * from[i] * from[i];
}
static double overlapping(double *x) {
  mix(x, x, N);
  mix(x + 1, x, N - 1);
  mix(x, x + 2, N - 2);
  return x[0] * x[2] + x[N - 2] * x[N - 1];
}

static double swapped(double *x) {
  double a[N], b[N], *now = a, *then = b;
  for (int i = 0; i < N; ++i)
    now[i] = x[i];
  for (int step = 0; step < 5; ++step) {
    for (int i = 0; i < N; ++i)
      then[i] = 0.4 * now[i] * now[(i + 1) % N] + 0.3 * now[(i + 5) % N];
    double *old = now;
    now = then;
    then = old;
  }
  return now[0] + now[3] * now[1];
}

static double permuted(double *x) {
  int index[N] = {2, 0, 1, 5, 3, 4};
  double s = 0;
  for (int step = 0; step < 3; ++step)
    for (int i = 0; i < N; ++i) {
      s += x[index[i]] * x[i] * (step + 1);
      index[i] = (index[i] + 1) % N;
    }
  return s;
}

static double on_the_heap(double *x) {
  double s = 0;
  for (int step = 1; step <= 3; ++step) {
    double *t = (double *)malloc(N * sizeof *t);
    for (int i = 0; i < N; ++i)
      t[i] = x[i] * step;
    for (int i = 1; i < N; ++i)
      t[i] *= t[i - 1];
    s += t[N - 1] * x[step];
    free(t);
  }
  double *u = (double *)calloc(2 * N, sizeof *u);
  memcpy(u, x, N * sizeof *u);
  memmove(u + 1, u, N * sizeof *u);
  for (int i = 0; i < 2 * N; ++i)
    s += u[i] * u[i] * (i + 1);
  free(u);
  return s;
}

int main(void) {
  const double at[N] = {0.7, 1.2, -0.4, 0.9, 1.1, 0.3};
#define GRADIENT(F)                                                            \
  do {                                                                         \
    double x[N], dx[N] = {0};                                                  \
    memcpy(x, at, sizeof x);                                                   \
    __verso_grad_void(F, verso_dup, x, dx);                                    \
    CHECK_GRADIENT(F, N, at, dx, 1e-7);                                        \
  } while (0)
  GRADIENT(in_place);
  GRADIENT(overlapping);
  GRADIENT(swapped);
  GRADIENT(permuted);
  GRADIENT(on_the_heap);
  return check_status();
}
