//===- differentiate-as.c - another function for the derivative -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VERSO_DIFFERENTIATE_AS: code for a function of a library, which has no body
// here; a solver by the derivative of its solution, one step from it; functions
// that write to memory. The program itself calls what it calls.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "check.h"
#include <math.h>
#include <verso/verso.h>

// No body and no rule: the C library's.
double drand48(void);
double strtod(const char *, char **);
static double counted(const char *text, char **end) { return 5; }
VERSO_DIFFERENTIATE_AS(strtod, counted);

// y with y^3 + x y = 1, by bisection, whose derivative by its steps is zero.
static int steps;
static double solve(double x) {
  double low = 0, high = 1;
  for (int i = 0; i < 200; ++i) {
    double middle = 0.5 * (low + high);
    ++steps;
    if (middle * middle * middle + x * middle < 1)
      low = middle;
    else
      high = middle;
  }
  return low;
}
static double solve_by_step(double x) {
  double y = solve(x);
  verso_detach(&y, sizeof y);
  return y - (y * y * y + x * y - 1) / (3 * y * y + x);
}
VERSO_DIFFERENTIATE_AS(solve, solve_by_step);

// It writes.
static void scale(double *x, int n, double by) {
  for (int i = 0; i < n; ++i)
    x[i] *= by;
}
static void scale_thrice(double *x, int n, double by) {
  for (int i = 0; i < n; ++i)
    x[i] *= 3 * by;
}
VERSO_DIFFERENTIATE_AS(scale, scale_thrice);

// What is called in its place looks at arguments that it ignores itself.
CHECK_NOINLINE static double ignores(double x, const double *y, int n) {
  return x;
}
CHECK_NOINLINE static double looks(double x, const double *y, int n) {
  return x * y[0] * n;
}
VERSO_DIFFERENTIATE_AS(ignores, looks);
static double by_ignored(double x, int n) {
  double y[2] = {x, 3};
  return ignores(x, y, n + 1) + ignores(x, y + 1, n);
}

static double sum_scaled(const double *x, int n, double by) {
  double y[8], sum = 0;
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
  scale(y, n, by);
  for (int i = 0; i < n; ++i)
    sum += y[i];
  return sum;
}
static double solved(double x) { return solve(x) * x; }
static double read_text(double x) { return strtod("2.5", 0) * x; }
static double slope(double x) { return __verso_grad(solved, x); }

int main(void) {
  double x = 1.5, y = solve(x);
  CHECK_EQUAL(steps, 200);
  double dy = -y / (3 * y * y + x);
  CHECK_CLOSE(__verso_grad(solve, x), dy, 1e-14);
  CHECK_CLOSE(__verso_jvp(solve, verso_dup, x, 2.0), 2 * dy, 1e-14);
  CHECK_CLOSE(__verso_grad(solved, x), dy * x + y, 1e-14);

  double a[3] = {1, 2, 3}, da[3] = {0};
  CHECK_CLOSE(sum_scaled(a, 3, 2), 12, 0);
  double dby = __verso_grad(sum_scaled, verso_dup, a, da, verso_const, 3, 2.0);
  CHECK_CLOSE(dby, 18, 1e-15);
  for (int i = 0; i < 3; ++i)
    CHECK_CLOSE(da[i], 6, 1e-15);

  CHECK_CLOSE(by_ignored(2, 4), 4, 0);
  CHECK_CLOSE(__verso_grad(by_ignored, 2.0, verso_const, 4), 5 * 2 * 2 + 4 * 3,
              1e-15);

  CHECK_CLOSE(read_text(2), 5, 0);
  CHECK_CLOSE(__verso_grad(read_text, 2.0), 5, 0);

  // One step from the solution has its first derivative only: of the second
  // there is what goes through the step.
  CHECK_CLOSE(__verso_jvp(slope, verso_dup, x, 1.0), __verso_grad(slope, x),
              1e-13);
  return check_status();
}
