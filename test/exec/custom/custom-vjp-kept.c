//===- custom-vjp-kept.c - given VJPs in maps and over watched memory -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linear map that is kept calls the VJP once for each number that was written,
// and is applied in both directions; the tape follows watched memory into the
// function; a VJP is given alone.
//
// UNCHECKED: it would need the JVP that is not given
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "check.h"
#include <verso/verso.h>

enum { N = 4 };
static int vjps;

// y[i] = x[i] x[i + 1] x[i + 1], round in a circle.
CHECK_NOINLINE static void plain_ring(const double *x, double *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[(i + 1) % n] * x[(i + 1) % n];
}
CHECK_NOINLINE static void ring(const double *x, double *y, int n) {
  plain_ring(x, y, n);
}
static void ring_counts(size_t *count, const double *x, double *y, int n) {
  count[0] = count[1] = n;
}
static void ring_vjp(const double *x, double *dx, const double *y,
                     const double *dy, int n) {
  ++vjps;
  for (int i = 0; i < n; ++i) {
    int k = (i + 1) % n;
    dx[i] += dy[i] * x[k] * x[k];
    dx[k] += dy[i] * 2 * y[i] / x[k];
  }
}
static void ring_jvp(const double *x, const double *dx, const double *y,
                     double *dy, int n) {
  for (int i = 0; i < n; ++i) {
    int k = (i + 1) % n;
    dy[i] = dx[i] * x[k] * x[k] + 2 * y[i] / x[k] * dx[k];
  }
}
VERSO_CUSTOM_VJP(ring, double, "rw-", ring_counts, ring_vjp, ring_jvp);

#define PROGRAM(NAME, F)                                                       \
  static double NAME(const double *x, int n) {                                 \
    double y[N], sum = 0;                                                      \
    F(x, y, n);                                                                \
    for (int i = 0; i < n; ++i)                                                \
      sum += y[i] * y[i] * (i + 1);                                            \
    return sum;                                                                \
  }                                                                            \
  static void NAME##_all(const double *x, double *y, int n) {                  \
    F(x, y, n);                                                                \
    for (int i = 0; i < n; ++i)                                                \
      y[i] *= x[0];                                                            \
  }
PROGRAM(by_ring, ring)
PROGRAM(by_plain, plain_ring)

// A VJP alone, of float.
static void halve(float *x, long n) {
  for (long i = 0; i < n; ++i)
    x[i] *= 0.5f;
}
static void halve_counts(size_t *count, float *x, long n) { count[0] = n; }
static void halve_vjp(const float *x, const float *to, float *dx, long n) {
  for (long i = 0; i < n; ++i)
    dx[i] *= 0.5f;
}
VERSO_CUSTOM_VJP(halve, float, "u-", halve_counts, halve_vjp, 0);
static float halved(const float *x) {
  float y[3] = {x[0], x[1] * x[1], x[2]};
  halve(y, 3);
  halve(y + 1, 2);
  halve(y, 0);
  return y[0] * y[1] * y[2];
}

int main(void) {
  double x[N] = {0.8, 1.2, 0.7, 1.1};
  double y[N], dx[N] = {0}, dy[N] = {0}, w[N] = {1, 2, 3, 4};
  verso_tape *map = __verso_linearize(by_ring_all, verso_dup, x, dx, verso_dup,
                                      y, dy, verso_const, N);
  CHECK_EQUAL(vjps, N);
  memcpy(dy, w, sizeof w);
  verso_pullback(map, 0, 0);
  double ex[N] = {0}, ey[N];
  memcpy(ey, w, sizeof w);
  __verso_vjp_void(by_plain_all, verso_dup, x, ex, verso_dup, y, ey,
                   verso_const, N);
  for (int i = 0; i < N; ++i)
    CHECK_CLOSE(dx[i], ex[i], 1e-13);
  double v[N] = {1, -0.5, 2, 0.25}, at_once = 0;
  memcpy(dx, v, sizeof v);
  verso_pushforward(map, 0, 0);
  for (int i = 0; i < N; ++i)
    at_once += dy[i] * w[i];
  double by_pullback = 0;
  for (int i = 0; i < N; ++i)
    by_pullback += ex[i] * v[i];
  CHECK_CLOSE(at_once, by_pullback, 1e-13);
  verso_tape_free(map);

  verso_watch(x, sizeof x);
  __verso_grad(by_ring, verso_const, x, verso_const, N);
  const double *watched = verso_adjoint_of(x);
  double e[N] = {0}, v2[N];
  for (int i = 0; i < N; ++i)
    v2[i] = watched[i];
  verso_unwatch(x);
  __verso_grad(by_plain, verso_dup, x, e, verso_const, N);
  for (int i = 0; i < N; ++i)
    CHECK_CLOSE(v2[i], e[i], 1e-12);

  float f[3] = {1, 2, 3}, df[3] = {0};
  __verso_grad_float(halved, verso_dup, f, df);
  CHECK_CLOSE(df[0], 0.5 * 1 * 0.75, 1e-6);
  CHECK_CLOSE(df[1], 0.5 * 0.25 * 4 * 0.75, 1e-6);
  CHECK_CLOSE(df[2], 0.5 * 1 * 0.25, 1e-6);
  return check_status();
}
