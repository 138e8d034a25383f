//===- records-of-recursion.c - gradients of recursion inside gradients ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inner gradient keeps a record for each activation of a recursion, in a
// block that grows where it is, well beyond its first page; around it loops
// keep columns of their own. Reverse and forward mode around it.
//
// HEAVY: tapes of tapes
//
//===----------------------------------------------------------------------===//

#include "../forward/forward.h"

enum { N = 900 };

/// A product over [from, to), by halves.
static double product(const double *x, int from, int to) {
  if (to - from == 1)
    return 1 + 0.01 * x[from];
  int middle = (from + to) / 2;
  return product(x, from, middle) * product(x, middle, to) + 0.001 * x[middle];
}
static double whole(const double *x, int n) { return product(x, 0, n); }

static double inside(const double *x, int n) {
  double g[N] = {0}, s = 0;
  __verso_grad_void((void *)whole, verso_dup, x, g, verso_const, n);
  for (int i = 0; i < n; ++i)
    s += sin(3 * x[i]) * g[i] * g[i] + exp(-10 * g[i] * x[i]);
  return s;
}

/// Several inner gradients, each from where the last one led.
static double descent(const double *x, int n) {
  double at[N];
  for (int i = 0; i < n; ++i)
    at[i] = x[i] * x[i];
  for (int step = 0; step < 3; ++step) {
    double g[N] = {0};
    __verso_grad_void((void *)whole, verso_dup, at, g, verso_const, n);
    for (int i = 0; i < n; ++i)
      at[i] -= 0.1 * cos(at[i]) * g[i];
  }
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += at[i] * at[i] * (1 + i % 3);
  return s;
}

#define CHECK_BOTH(F, Step, Tolerance)                                         \
  {                                                                            \
    double g[N] = {0}, dot = 0, up[N], down[N];                                \
    __verso_grad_void((void *)F, verso_dup, x, g, verso_const, N);             \
    for (int i = 0; i < N; ++i) {                                              \
      dot += g[i] * dx[i];                                                     \
      up[i] = x[i] + Step * dx[i];                                             \
      down[i] = x[i] - Step * dx[i];                                           \
    }                                                                          \
    double tangent =                                                           \
        __verso_jvp((void *)F, verso_dup, x, dx, verso_const, N);              \
    CHECK_CLOSE(dot, tangent, 1e-12);                                          \
    CHECK_CLOSE(dot, (F(up, N) - F(down, N)) / (2 * Step), Tolerance);         \
  }

int main(void) {
  static double x[N], dx[N];
  for (int i = 0; i < N; ++i) {
    x[i] = 0.3 + 0.2 * sin(i);
    dx[i] = cos(2.0 * i);
  }
  CHECK_BOTH(inside, 1e-6, 1e-7)
  CHECK_BOTH(descent, 1e-6, 1e-7)
  return check_status();
}
