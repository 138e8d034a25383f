//===- derivative.c - derivatives that the program gives ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VERSO_DERIVATIVE: what is given is taken, not what the function's body says
// (the given ones are twice as large), in gradients, tangents and second
// derivatives, in loops and through pointers, and the function itself is called
// as it is.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "check.h"
#include <math.h>
#include <verso/verso.h>

static int runs;

static double twice(double x) {
  ++runs; // Not differentiated: what it writes is no number.
  return sin(x);
}
static double twice_x(double x) { return 2 * cos(x); }
VERSO_DERIVATIVE(twice, twice_x);

// Numbers beside a table and a count, which are constants; none by the second.
static double blend(const double *table, double x, int n, double y) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += table[i] * x;
  return sum * y;
}
static double blend_x(const double *table, double x, int n, double y) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += table[i];
  return 2 * sum * y;
}
VERSO_DERIVATIVE(blend, blend_x, 0);

static float single(float x, float y) { return x * y; }
static float single_x(float x, float y) { return 3 * y; }
static float single_y(float x, float y) { return 5 * x; }
VERSO_DERIVATIVE(single, single_x, single_y);

// Infinite where its result is thrown away.
static double root(double x) { return sqrt(x); }
static double root_x(double x) { return 0.5 / sqrt(x); }
VERSO_DERIVATIVE(root, root_x);

// The derivative keeps numbers in memory, and calls the function.
struct both {
  double x, y;
};
static double area(double x, double y) { return x * y; }
static struct both slopes(double x, double y) {
  double z = area(x, y);
  struct both result = {3 * z / x, 5 * z / y};
  return result;
}
static double area_x(double x, double y) {
  struct both result = slopes(x, y);
  return result.x;
}
static double area_y(double x, double y) {
  struct both result = slopes(x, y);
  return result.y;
}
VERSO_DERIVATIVE(area, area_x, area_y);
static double square_of(double x) { return area(x, x); }

__attribute__((noinline)) static double apply(double (*f)(double), double x) {
  return f(x);
}

static double direct(double x) { return twice(x) * x; }
static double table_of(double x, double y) {
  static const double table[3] = {1, 2, 4};
  return blend(table, x, 3, y) + x * y;
}
static double of_floats(float x, float y) { return single(x, y); }
static double loop(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += twice(x[i]) * twice(x[i]);
  return sum;
}
static double chosen(double x) { return x > 0 ? root(x) : root(x) * 0 + x; }
static double through_pointer(double x, int which) {
  return apply(which ? twice : sin, x);
}
static double slope(double x) { return __verso_grad(direct, x); }

// It returns its argument, of which the given derivative is another.
CHECK_NOINLINE static double straight(double x, double y) { return x; }
static double half(double x, double y) { return 0.5 * y; }
VERSO_DERIVATIVE(straight, half, 0);
static double through(double x) { return straight(x * x, 3 * x) + x; }

int main(void) {
  CHECK_CLOSE(__verso_grad(square_of, 2.0), 16, 1e-15);
  CHECK_CLOSE(__verso_jvp(square_of, verso_dup, 2.0, 1.0), 16, 1e-15);
  double x = 0.7;
  CHECK_CLOSE(__verso_grad(through, x), 0.5 * 3 * x * 2 * x + 1, 1e-15);
  CHECK_CLOSE(__verso_jvp(through, verso_dup, x, 1.0),
              __verso_grad(through, x), 1e-15);
  runs = 0;
  CHECK_CLOSE(twice(x), sin(x), 0);
  CHECK_CLOSE(__verso_grad(twice, x), 2 * cos(x), 1e-15);
  CHECK_CLOSE(__verso_jvp(twice, verso_dup, x, 3.0), 6 * cos(x), 1e-15);
  CHECK_CLOSE(__verso_grad(direct, x), 2 * cos(x) * x + sin(x), 1e-15);

  struct pair {
    double x, y;
  } __verso_grad_pair(void *, ...);
  struct pair d = __verso_grad_pair(table_of, x, 3.0);
  CHECK_CLOSE(d.x, 2 * 7 * 3.0 + 3, 1e-15);
  CHECK_CLOSE(d.y, x, 1e-15);

  struct floats {
    float x, y;
  } __verso_grad_floats(void *, ...);
  struct floats e = __verso_grad_floats(of_floats, 2.0f, 7.0f);
  CHECK_CLOSE(e.x, 21, 0);
  CHECK_CLOSE(e.y, 10, 0);

  double a[5] = {0.1, 0.2, 0.3, 0.4, 0.5}, da[5] = {0};
  double value = __verso_value_and_grad(loop, verso_dup, a, da, verso_const, 5);
  CHECK_CLOSE(value, loop(a, 5), 1e-15);
  for (int i = 0; i < 5; ++i)
    CHECK_CLOSE(da[i], 4 * sin(a[i]) * cos(a[i]), 1e-15);

  CHECK_CLOSE(__verso_grad(chosen, 4.0), 0.25, 1e-15);
  CHECK_CLOSE(__verso_grad(through_pointer, x, verso_const, 1), 2 * cos(x),
             1e-15);
  CHECK_CLOSE(__verso_grad(through_pointer, x, verso_const, 0), cos(x), 1e-15);

  // That of direct's gradient is 2 x cos(x) + sin(x), whose sine comes of a call.
  double second = -2 * sin(x) * x + 2 * cos(x) + 2 * cos(x);
  CHECK_CLOSE(__verso_grad(slope, x), second, 1e-14);
  CHECK_CLOSE(__verso_jvp(slope, verso_dup, x, 1.0), second, 1e-14);
  CHECK(runs > 0);
  return check_status();
}
