//===- packed-rows.c - second derivatives through packed rows -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime moves what a row has on the tape, which an outer request cannot
// follow: where a gradient is differentiated, rows stay as they are written.
//
// REQUIRES: unsanitized
// HEAVY: tapes of tapes
//
//===----------------------------------------------------------------------===//

#define SECOND_ONLY
#include "second.h"

static double smoothed(const double *x, int n) {
  double a[MOST], b[MOST], *now = a, *next = b, sum = 0;
  for (int i = 0; i < n; ++i)
    now[i] = next[i] = x[i] * x[i];
  for (int step = 0; step < 4; ++step) {
    for (int i = 1; i + 1 < n; ++i)
      next[i] = 0.25 * now[i - 1] + 0.5 * now[i] + 0.25 * now[i + 1];
    double *swap = now;
    now = next;
    next = swap;
  }
  for (int i = 0; i < n; ++i)
    sum += now[i] * now[i] * sin(now[i]);
  return sum;
}
HESSIAN(smoothed)

// The weight is constant to the gradient, and varies for those who
// differentiate that: it stands behind the row.
static double weighted(const double *x, double w, int n) {
  double a[MOST], b[MOST], c[MOST], sum = 0;
  for (int i = 0; i < n; ++i)
    a[i] = b[i] = c[i] = x[i] * x[i];
  for (int i = 1; i + 1 < n; ++i)
    b[i] = w * a[i - 1] + (1 - 2 * w) * a[i] + w * a[i + 1];
  for (int i = 1; i + 1 < n; ++i)
    c[i] = w * b[i - 1] + (1 - 2 * w) * b[i] + w * b[i + 1];
  for (int i = 0; i < n; ++i)
    sum += c[i] * c[i];
  return sum;
}
static double slope(const double *x, double w, const double *v, int n) {
  double g[MOST] = {0}, sum = 0;
  __verso_grad_void(weighted, verso_dup, x, g, verso_const, w, verso_const, n);
  for (int i = 0; i < n; ++i)
    sum += g[i] * v[i];
  return sum;
}
static void check_weight(int n) {
  double x[MOST], v[MOST];
  for (int i = 0; i < n; ++i)
    x[i] = 0.5 + 0.1 * (i % 7), v[i] = 0.2 * (i % 5) - 0.3;
  const double h = 1e-5, w = 0.2;
  double dw = __verso_grad(slope, verso_const, x, verso_out, w, verso_const, v,
                           verso_const, n);
  double dot = __verso_jvp(slope, verso_const, x, verso_dup, w, 1.0,
                           verso_const, v, verso_const, n);
  CHECK_CLOSE(dw, dot, 1e-12);
  CHECK_CLOSE(dw, (slope(x, w + h, v, n) - slope(x, w - h, v, n)) / (2 * h),
              1e-7);
}

int main(void) {
  check_weight(50);
  check_smoothed(40, 3, 0.5, 1.5, 1e-9);
  return check_status();
}
