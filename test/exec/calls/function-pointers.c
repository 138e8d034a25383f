//===- function-pointers.c - calls through pointers -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions chosen at run time from a table, passed down as arguments, kept in
// a struct with a context, and a pointer that is null on the path not taken.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

typedef double (*function)(double);
static double square(double x) { return x * x; }
static double inverse(double x) { return 1 / x; }
static double wave(double x) { return sin(x); }
static const function table[] = {square, inverse, wave};

CHECK_NOINLINE static double compose(const int *order, int n, double x) {
  for (int i = 0; i < n; ++i)
    x = table[order[i]](x);
  return x;
}
CHECK_NOINLINE static double simpson(function f, double a, double b) {
  return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b));
}
CHECK_NOINLINE static double choose(int which, double x) {
  return simpson(which ? square : wave, 0, x);
}

struct closure {
  double (*call)(const struct closure *, double);
  double scale;
};
CHECK_NOINLINE static double scaled(const struct closure *self, double x) {
  return self->scale * x * x;
}
CHECK_NOINLINE static double with_context(double scale, double x, int use) {
  struct closure c = {use ? scaled : NULL, scale};
  return c.call ? c.call(&c, x) : x;
}
struct two {
  double scale, x;
};
struct two __verso_grad_two(void *, ...);

int main(void) {
  const int order[] = {0, 2, 1};
  double x = 0.7, s = sin(x * x);
  CHECK_CLOSE(__verso_grad(compose, verso_const, order, 3, x),
              -2 * x * cos(x * x) / (s * s), 1e-14);
  CHECK_CLOSE(__verso_grad(choose, 1, 2.0), 4, 1e-14);
  CHECK_CLOSE(__verso_grad(choose, 0, 1.0),
              (4 * sin(0.5) + sin(1) + 2 * cos(0.5) + cos(1)) / 6, 1e-14);
  struct two g = __verso_grad_two(with_context, 3.0, 5.0, 1);
  CHECK_EQUAL(g.scale, 25);
  CHECK_EQUAL(g.x, 30);
  g = __verso_grad_two(with_context, 3.0, 5.0, 0);
  CHECK_EQUAL(g.scale, 0);
  CHECK_EQUAL(g.x, 1);
  return check_status();
}
