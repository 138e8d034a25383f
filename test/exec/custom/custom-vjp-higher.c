//===- custom-vjp-higher.c - given VJPs in other orders and requests ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program's JVP and VJP are differentiated for second derivatives: forward
// over reverse, reverse over reverse (of structured code: a tape that is recorded
// itself is an error), reverse over forward, forward over forward; two tangents
// at once.
//
// UNCHECKED: requests that are to be structured are taped then, which some cannot
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "check.h"
#include <verso/verso.h>

enum { N = 4 };
struct two {
  double of[2];
};
struct two __verso_jvp_two(void *, ...);

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
  VERSO_STRATEGY(structured)                                                   \
  static double NAME(const double *x, int n) {                                 \
    double y[N], z[N], sum = 0;                                                \
    F(x, y, n);                                                                \
    for (int i = 0; i < n; ++i)                                                \
      y[i] = sin(y[i]) + x[i];                                                 \
    F(y, z, n);                                                                \
    for (int i = 0; i < n; ++i)                                                \
      sum += z[i] * z[i] * (i + 1);                                            \
    return sum;                                                                \
  }                                                                            \
  VERSO_STRATEGY(structured)                                                   \
  static double NAME##_slope(const double *x, int n) {                         \
    double d[N] = {0}, sum = 0;                                                \
    __verso_grad(NAME, verso_dup, x, d, verso_const, n);                       \
    for (int i = 0; i < n; ++i)                                                \
      sum += d[i] * d[i];                                                      \
    return sum;                                                                \
  }                                                                            \
  static double NAME##_tangent(const double *x, int n) {                       \
    double v[N] = {1, -1, 0.5, 2};                                             \
    return __verso_jvp(NAME, verso_dup, x, v, verso_const, n);                 \
  }
PROGRAM(by_ring, ring)
PROGRAM(by_plain, plain_ring)

#define CHECK_SAME(F, PLAIN)                                                   \
  do {                                                                         \
    double d[N] = {0}, e[N] = {0}, v[N] = {1, -0.5, 2, 0.25};                  \
    CHECK_CLOSE(F(x, N), PLAIN(x, N), 1e-12);                                  \
    __verso_grad(F, verso_dup, x, d, verso_const, N);                          \
    __verso_grad(PLAIN, verso_dup, x, e, verso_const, N);                      \
    for (int k = 0; k < N; ++k)                                                \
      CHECK_CLOSE(d[k], e[k], 1e-11);                                          \
    CHECK_CLOSE(__verso_jvp(F, verso_dup, x, v, verso_const, N),               \
                __verso_jvp(PLAIN, verso_dup, x, v, verso_const, N), 1e-11);   \
  } while (0)

int main(void) {
  double x[N] = {0.8, 1.2, 0.7, 1.1};
  CHECK_SAME(by_ring, by_plain);
  CHECK_SAME(by_ring_slope, by_plain_slope);
  CHECK_SAME(by_ring_tangent, by_plain_tangent);

  double v[N] = {1, -0.5, 2, 0.25};
  // Two tangents at once.
  double v2[N] = {0, 1, 0, 1};
  struct two both =
      __verso_jvp_two(by_ring, verso_width, 2, verso_dup, x, v, v2, N);
  CHECK_CLOSE(both.of[0], __verso_jvp(by_plain, verso_dup, x, v, N), 1e-12);
  CHECK_CLOSE(both.of[1], __verso_jvp(by_plain, verso_dup, x, v2, N), 1e-12);
  return check_status();
}
