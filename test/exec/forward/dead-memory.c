//===- dead-memory.c - primals in memory that no tangent needs ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Local memory whose primal values nobody needs is not written; here is who may
// need them: products, branches, addresses, the end of a loop, the caller who
// reads what is copied, memory that is chosen, a volatile read.
//
//===----------------------------------------------------------------------===//

#include "forward.h"

enum { N = 8 };

extern int enzyme_primal_return;
struct Both {
  double value, tangent;
};
struct Both __verso_jvp_both(void *, ...);

/// Nobody.
CHECK_NOINLINE static double linear(double *x) {
  double a[N], *b = malloc(N * sizeof *b), *now = a, *then = b;
  memcpy(a, x, sizeof a);
  memset(b, 0, N * sizeof *b);
  for (int step = 0; step < 5; ++step) {
    for (int i = 0; i < N; ++i)
      then[i] = 0.25 * (now[i] + 2 * now[(i + 1) % N] - then[(i + 3) % N]);
    double *t = now;
    now = then;
    then = t;
  }
  double sum = 0;
  for (int i = 0; i < N; ++i)
    sum += (i + 1) * now[i];
  free(b);
  return sum;
}

/// A product in the last step alone.
CHECK_NOINLINE static double atTheEnd(double *x) {
  double a[N];
  for (int i = 0; i < N; ++i)
    a[i] = 3 * x[i];
  for (int step = 0; step < 4; ++step)
    for (int i = 1; i < N; ++i)
      a[i] += 0.5 * a[i - 1];
  return a[N - 1] * a[N - 2];
}

/// A branch, which an earlier sum in memory decides, and a trip count.
CHECK_NOINLINE static double branches(double *x) {
  double a[N], limit[1] = {0}, sum = 0;
  for (int i = 0; i < N; ++i) {
    a[i] = 2 * x[i];
    limit[0] += a[i] > 0 ? 1 : 0.5;
  }
  for (int i = 0; i < (int)limit[0] && i < N; ++i)
    sum += a[i] > 1 ? 3 * a[i] : -a[i];
  return sum;
}

/// An index that was stored as a number.
CHECK_NOINLINE static double indices(double *x) {
  double place[N], a[N], sum = 0;
  for (int i = 0; i < N; ++i) {
    place[i] = (i * 3) % N;
    a[i] = 2 * x[i];
  }
  for (int i = 0; i < N; ++i)
    sum += (i + 1) * a[(int)place[i]];
  return sum;
}

/// What is copied out, and what a chosen pointer leads to.
CHECK_NOINLINE static void copied(double *x, double *y) {
  double a[N], b[N];
  for (int i = 0; i < N; ++i)
    a[i] = 2 * x[i];
  memcpy(b, a, sizeof b);
  double *chosen = x[0] > 0 ? b : x;
  chosen[1] = 5 * x[2];
  memcpy(y, x[1] > 100 ? a : b, sizeof b);
}

CHECK_NOINLINE static double watched(double *x) {
  double a[2] = {2 * x[0], 3 * x[1]};
  volatile double *p = a;
  return 3 * a[1] + (*p > 0 ? a[0] : -a[0]);
}

int main(void) {
  double x[N];
  fill_direction(x, N, 7);
  CHECK_TRANSPOSE_SCALAR(linear, N, x);
  CHECK_TRANSPOSE_SCALAR(atTheEnd, N, x);
  CHECK_TRANSPOSE_SCALAR(branches, N, x);
  CHECK_TRANSPOSE_SCALAR(indices, N, x);
  CHECK_TRANSPOSE(copied, N, N, x);
  CHECK_TRANSPOSE_SCALAR(watched, N, x);
  // The tangent of a linear function is its value in that direction, also
  // beside its value.
  double v[N], value = 0;
  fill_direction(v, N, 8);
  CHECK_CLOSE(__verso_jvp((void *)linear, verso_dup, x, v), linear(v), 1e-14);
  struct Both both =
      __verso_jvp_both((void *)linear, enzyme_primal_return, verso_dup, x, v);
  CHECK_CLOSE(both.value, linear(x), 1e-15);
  CHECK_CLOSE(both.tangent, linear(v), 1e-14);
  return check_status();
}
