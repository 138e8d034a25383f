//===- arrays-in-recursion.c - arrays of variable length in recursion -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every activation has arrays whose size is known at run time only: empty ones,
// some in a loop, one that the callee fills, one of pointers into those of all
// callers, two functions that call one another.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { N = 7 };

// Halves are sorted out into a buffer, and back.
static void transform(double *x, int n) {
  if (n < 2)
    return;
  double buffer[n];
  for (int i = 0; i < n; ++i)
    buffer[i % 2 ? n / 2 + n % 2 + i / 2 : i / 2] = x[i];
  transform(buffer, n - n / 2);
  transform(buffer + (n - n / 2), n / 2);
  for (int i = 0; i < n; ++i)
    x[i] = buffer[i] * buffer[n - 1 - i] + 0.5 * x[i];
}
static double transformed(const double *x) {
  double y[N], s = 0;
  memcpy(y, x, sizeof y);
  transform(y, N);
  for (int i = 0; i < N; ++i)
    s += (i + 1) * y[i];
  return s;
}

// The callee fills the array, which may be empty.
static double fill(const double *x, double *out, int n) {
  double mine[n + 1];
  double s = 1;
  if (n) {
    s = fill(x + 1, mine, n - 1);
    for (int i = 0; i + 1 < n; ++i)
      out[i] = mine[i] * x[0];
    out[n - 1] = x[0] + s;
  }
  return s * 0.9 + (n > 1 ? mine[n / 2 - 1] : 0.25);
}
static double filled(const double *x) {
  double y[N], s = fill(x, y, N);
  for (int i = 0; i < N; ++i)
    s += y[i] * y[i];
  return s;
}

// Arrays in a loop, and calls in it: each is another one.
static double search(const double *x, int n) {
  double s = 0;
  for (int k = 1; k < n; ++k) {
    double rest[n - k];
    for (int i = 0; i < n - k; ++i)
      rest[i] = x[i] * (1 + 0.25 * k);
    s += search(rest, n - k) * rest[0] + x[k];
  }
  return s;
}
static double searched(const double *x) { return search(x, N - 2); }

// Pointers to what callers keep.
static double deeper(double **kept, int n, const double *x);
static double keep(double **kept, int n, const double *x) {
  double *all[n + 1], own[n + 2];
  for (int i = 0; i < n; ++i)
    all[i] = kept[i];
  for (int i = 0; i < n + 2; ++i)
    own[i] = x[(n + i) % N] * (n + 1);
  all[n] = own;
  double r = deeper(all, n + 1, x);
  return r + own[n] * own[0];
}
static double deeper(double **kept, int n, const double *x) {
  if (n > 4) {
    double s = 0;
    for (int i = 0; i < n; ++i)
      s += kept[i][i] * kept[n - 1 - i][0];
    return s;
  }
  kept[n / 2][0] *= x[n];
  return keep(kept, n, x) + keep(kept, n, x) * kept[n - 1][1];
}
static double kept(const double *x) { return keep(NULL, 0, x); }

#define CHECK_ALL(F)                                                           \
  static double of_##F(double *x) { return F(x); }                             \
  static void check_##F(double *x) {                                           \
    double dx[N] = {0};                                                        \
    __verso_grad_void((void *)F, verso_dup, x, dx);                            \
    CHECK_GRADIENT(of_##F, N, x, dx, 1e-7);                                    \
    __verso_grad_void((void *)F, verso_dup, x, dx);                            \
    for (int i = 0; i < N; ++i)                                                \
      dx[i] *= 0.5;                                                            \
    CHECK_GRADIENT(of_##F, N, x, dx, 1e-7);                                    \
  }
CHECK_ALL(transformed)
CHECK_ALL(filled)
CHECK_ALL(searched)
CHECK_ALL(kept)

int main(void) {
  double x[N] = {1, -0.5, 0.75, 1.25, 0.5, -1.5, 0.875};
  check_transformed(x);
  check_filled(x);
  check_searched(x);
  check_kept(x);
  return check_status();
}
