//===- infinite-in-memory.c - what is stored and then thrown away ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results with infinite partials that are stored, and not chosen when they are
// read, or overwritten, or never read, or of which the caller asks for no
// derivative; partials that overflow at finite numbers; infinite constants.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdlib.h>

enum { N = 4 };

CHECK_NOINLINE static double entropy(const double *x, int n) {
  double t[N], sum = 0;
  for (int i = 0; i < n; ++i)
    t[i] = x[i] * log(x[i]);
  for (int i = 0; i < n; ++i)
    sum -= x[i] > 0 ? t[i] : 0;
  return sum;
}
CHECK_NOINLINE static double overwritten(const double *x, int n) {
  double *t = malloc(n * sizeof *t), sum = 0;
  for (int i = 0; i < n; ++i) {
    t[i] = x[i] * log(x[i]);
    if (x[i] == 0)
      t[i] = 0;
  }
  for (int i = 0; i < n; ++i)
    sum -= t[i];
  free(t);
  return sum;
}
CHECK_NOINLINE static double largest(const double *x, int n) {
  double t[N];
  int most = 0;
  for (int i = 0; i < n; ++i) {
    double q = 1 / x[i];
    t[i] = x[i] == 0 ? -1 : q * q * x[i];
  }
  for (int i = 0; i < n; ++i)
    if (t[i] > t[most])
      most = i;
  return t[most];
}
CHECK_NOINLINE static double log_cosh(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double z = 1000 * x[i], c = log(cosh(z));
    sum += fabs(z) > 30 ? fabs(z) - 0.69314718055994531 : c;
  }
  return sum;
}
CHECK_NOINLINE static double steep(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double z = 1000 * x[i], c = 1 / (1 + pow(z, 120));
    sum += fabs(z) > 30 ? x[i] : c;
  }
  return sum;
}
CHECK_NOINLINE static double infinite_factor(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double p = x[i] * INFINITY;
    sum += (p < 1e30 ? p : 0) + x[i];
  }
  return sum;
}
CHECK_NOINLINE static void products(const double *x, double *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * log(x[i]);
}

int main() {
  const double x[N] = {0.5, 0, 2, 1.25};
#define CHECK_ALL(F, A, B, C, D)                                          \
  {                                                                            \
    double dx[N] = {0};                                                        \
    __verso_grad((void *)F, &verso_dup, x, dx, N);                             \
    CHECK_CLOSE(dx[0], A, 1e-12);                                              \
    CHECK_CLOSE(dx[1], B, 1e-12);                                              \
    CHECK_CLOSE(dx[2], C, 1e-12);                                              \
    CHECK_CLOSE(dx[3], D, 1e-12);                                              \
  }
  CHECK_ALL(entropy, -1 - log(0.5), 0, -1 - log(2), -1 - log(1.25))
  CHECK_ALL(overwritten, -1 - log(0.5), 0, -1 - log(2), -1 - log(1.25))
  CHECK_ALL(largest, -4, 0, 0, 0)
  CHECK_ALL(log_cosh, 1000, 0, 1000, 1000)
  CHECK_ALL(steep, 1, 0, 1, 1)
  CHECK_ALL(infinite_factor, 1, 1, 1, 1)
  double y[N], dy[N] = {0, 0, 3, 0}, dx[N] = {0};
  __verso_vjp_void((void *)products, &verso_dup, x, dx, &verso_dup, y, dy, N);
  CHECK_CLOSE(dx[0], 0, 0);
  CHECK_CLOSE(dx[1], 0, 0);
  CHECK_CLOSE(dx[2], 3 * (1 + log(2)), 1e-12);
  CHECK_CLOSE(dx[3], 0, 0);
  return check_status();
}
