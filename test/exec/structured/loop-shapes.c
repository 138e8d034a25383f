//===- loop-shapes.c - every way to leave a loop --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reversed loops run down from the trip count that they were left with: through
// the condition, a break, a break of the outer loop from the inner one, a
// return; with trip counts that depend on the outer loop and on the data, zero
// trips among them. The recurrences are not linear, so every value is needed.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

static double triangle(double *x) {
  double s = x[0];
  for (int i = 0; i < 9; ++i)
    for (int j = i % 4; j < i; ++j)
      s = sin(s) * x[j % 3] + x[1];
  return s;
}

static double two_exits(double *x) {
  double s = 1;
  for (int i = 0; i < 50; ++i) {
    s = s * x[i % 3] + 0.1;
    if (s > 4)
      break;
    s += x[(i + 1) % 3] * s;
    if (s < -3)
      return s * x[0];
  }
  return s * s;
}

static double leave_both(double *x) {
  double s = x[0];
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      s = s * (1 + 0.1 * x[2]) + x[j % 3];
      if (s > 9.5)
        goto out;
      if (j > i)
        continue;
      s += 0.01 * s * s;
    }
    s = cos(s) * x[1];
  }
out:
  return s * x[1];
}

static double until_small(double *x) {
  double s = 0;
  for (int i = 0; i < 3; ++i) {
    double step = x[i];
    while (fabs(step) > 0.1) {
      step *= 0.5 * cos(step);
      s += step * step;
    }
  }
  return s;
}

static double three_deep(double *x) {
  double t = 1;
  for (int i = 0; i < 3; ++i) {
    double u = t;
    for (int j = 0; j < 2; ++j) {
      double v = u * x[j];
      for (int k = 0; k < 4; ++k)
        v = v * 0.5 + sin(v) * x[k % 3];
      u += v;
    }
    t = u * 0.3;
  }
  return t;
}

int main(void) {
  const double points[][3] = {{0.7, 1.3, -0.4}, {1.9, 0.2, 1.1}, {-1.2, 0.9, 2}};
#define GRADIENT_AT(F, P)                                                      \
  do {                                                                         \
    double x[3], dx[3] = {0, 0, 0};                                            \
    memcpy(x, P, sizeof x);                                                    \
    __verso_grad_void(F, verso_dup, x, dx);                                    \
    CHECK_GRADIENT(F, 3, P, dx, 1e-7);                                         \
  } while (0)
  for (int p = 0; p < 3; ++p) {
    GRADIENT_AT(triangle, points[p]);
    GRADIENT_AT(two_exits, points[p]);
    GRADIENT_AT(leave_both, points[p]);
    GRADIENT_AT(until_small, points[p]);
    GRADIENT_AT(three_deep, points[p]);
  }
  return check_status();
}
