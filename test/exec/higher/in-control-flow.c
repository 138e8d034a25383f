//===- in-control-flow.c - inner requests in loops and branches ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that make requests in loops, in branches, before an early return, of
// several kinds, into shadows that add up and are cleared, of the same memory
// again and again: blocks of the arena that an inner request gave back are taken
// by the next one. Their own second derivatives agree by every order.
//
// By tape at all levels of nesting it would take minutes to compile; auto at two of
// them has the oracles of the other modes.
// LEVELS: O1 O2g
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//

#define SECOND_ONLY
#include "second.h"

double __verso_value_and_grad(void *, ...);

static double terms(const double *x, int n) {
  double s = 0.5;
  for (int i = 0; i < n; ++i)
    s += sin(s * x[i]) * x[(i + 1) % n];
  return s;
}
/// Records of a loop that nobody can count.
static double halvings(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double r = 3 + x[i];
    while (r > 0.3) {
      r *= 0.5 + 0.1 * sin(x[i]);
      sum += r * r;
    }
  }
  return sum;
}
static double squares(const double *x, int n) {
  double *work = malloc(n * sizeof *work), sum = 0;
  for (int i = 0; i < n; ++i)
    work[i] = x[i] * x[i] + 0.1 * x[n - 1 - i];
  for (int i = 0; i < n; ++i)
    sum += work[i] * work[(i + 1) % n];
  free(work);
  return sum;
}

/// Steps of different kinds, of shrinking length.
static double descent(const double *start, int n) {
  double x[MOST], g[MOST] = {0}, sum = 0;
  for (int i = 0; i < n; ++i)
    x[i] = start[i];
  for (int step = 0; step < 4; ++step) {
    int m = n - step % 3;
    if (step == 1)
      __verso_grad_void(halvings, verso_dup, x, g, verso_const, m);
    else if (step == 2)
      sum += __verso_value_and_grad(squares, verso_dup, x, g, verso_const, m);
    else
      __verso_grad_void(terms, verso_dup, x, g, verso_const, m);
    for (int i = 0; i < n; ++i) {
      x[i] -= 0.02 * g[i];
      sum += x[i] * x[i];
    }
    // What is not cleared is added to.
    if (step != 1)
      for (int i = 0; i < n; ++i)
        g[i] = 0;
  }
  return sum;
}
HESSIAN(descent)

static double cubic(double t, double a) { return t * t * t + t - a; }
static double slope_of_cubic(double t, double a) {
  return __verso_grad(cubic, t, verso_const, a);
}
/// Newton's method until it has converged, with an early return.
static double roots(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double t = 1, a = 1 + x[i] * x[(i + 1) % n];
    for (int k = 0; k < 50; ++k) {
      double value = cubic(t, a);
      t -= value / slope_of_cubic(t, a);
      if (fabs(value) < 1e-14)
        break;
      if (t > 100)
        return sum;
    }
    sum += t * t * x[i];
  }
  return sum;
}
HESSIAN(roots)

/// Requests only for some, in an inner loop.
static double some(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i + 3 <= n; ++i) {
    double g[3] = {0, 0, 0};
    if (x[i] > 0.5)
      for (int k = 0; k < 2; ++k) {
        __verso_grad_void(terms, verso_dup, x + i, g, verso_const, 3);
        if (g[0] > 1.5)
          break;
      }
    else if (x[i + 1] > 0.6)
      continue;
    sum += g[0] * g[1] + g[2] * x[i] * x[i] + exp(0.1 * x[i]);
  }
  return sum;
}
HESSIAN(some)

/// The same gradient into two shadows that are one.
static double shared(const double *x, int n) {
  double g[MOST] = {0}, y[MOST], sum = 0;
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i];
  __verso_grad_void(terms, verso_dup, y, g, verso_const, n);
  __verso_grad_void(halvings, verso_dup, y, g, verso_const, n);
  for (int i = 0; i < n; ++i)
    sum += g[i] * g[i] * x[i];
  return sum;
}
HESSIAN(shared)

int main(void) {
  check_descent(6, 1, 0.2, 1, 1e-11);
  check_roots(5, 2, 0.5, 1.5, 1e-10);
  check_some(8, 3, 0.3, 0.9, 1e-11);
  check_shared(6, 4, 0.3, 0.9, 1e-11);
  return check_status();
}
