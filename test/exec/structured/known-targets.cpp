//===- known-targets.cpp - calls through pointers, structured -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls through pointers of which all targets can be seen are no reason for a
// tape: a table of functions, virtual functions of objects that the function
// makes itself, one of which is replaced while a loop runs, pointers kept in a
// structure by what another such call chose, and qsort's comparison.
//
// STRATEGY: structured
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <cstdlib>
#include <initializer_list>

typedef double Scalar(double);
static double square(double x) { return x * x; }
static double inverse(double x) { return 1 / x; }
static double wave(double x) { return std::sin(x); }
static Scalar *const table[] = {square, inverse, wave};

CHECK_NOINLINE static double compose(const int *order, int n, double x) {
  for (int i = 0; i < n; ++i)
    x = table[order[i]](x) + 0.5 * x;
  return x;
}

struct Shape {
  virtual double area(double t) const = 0;
  virtual Shape *next() { return this; }
  virtual ~Shape() = default;
};
struct Disc final : Shape {
  double r;
  explicit Disc(double r) : r(r) {}
  double area(double t) const override { return 3 * r * r * t; }
};
struct Box final : Shape {
  double a, b;
  Box(double a, double b) : a(a), b(b) {}
  double area(double t) const override { return a * b + t * t; }
  Shape *next() override;
};
Shape *Box::next() { return new Disc(a * b); }

CHECK_NOINLINE static double shapes(int n, double a, double b) {
  Shape *current = new Box(a, b);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += current->area(sum + a);
    Shape *following = i % 2 ? current->next() : current;
    if (following != current)
      delete current;
    current = following;
  }
  delete current;
  return sum;
}

struct State {
  double (*step)(State &, double);
  double rate;
};
static double slow(State &s, double x);
static double fast(State &s, double x) {
  if (x > 2)
    s.step = slow;
  return x * s.rate;
}
static double slow(State &s, double x) {
  if (x < 1)
    s.step = fast;
  return std::sqrt(x) / s.rate;
}
CHECK_NOINLINE static double machine(double rate, double x) {
  State s = {fast, rate};
  for (int i = 0; i < 12; ++i)
    x = s.step(s, x);
  return x;
}

static int ascending(const void *p, const void *q) {
  double x = *(const double *)p, y = *(const double *)q;
  return (x > y) - (x < y);
}
CHECK_NOINLINE static double weighted(const double *x, int n) {
  double sorted[8], sum = 0;
  for (int i = 0; i < n; ++i)
    sorted[i] = x[i] * x[i];
  qsort(sorted, n, sizeof(double), ascending);
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * sorted[i];
  return sum;
}

struct Two {
  double x, y;
};
extern "C" Two __verso_grad_two(void *, ...);

static const int order[] = {0, 2, 1, 0, 2};
static int count;

int main() {
  double x = 0.7;
  double dx = __verso_grad((void *)compose, verso_const, order, 5, x);
  CHECK_GRADIENT([](double *v) { return compose(order, 5, v[0]); }, 1, &x, &dx,
                 1e-6);
  for (int n : {0, 1, 2, 5}) {
    double in[] = {0.8, 1.3};
    count = n;
    Two g = __verso_grad_two((void *)shapes, n, in[0], in[1]);
    double gradient[] = {g.x, g.y};
    CHECK_GRADIENT([](double *v) { return shapes(count, v[0], v[1]); }, 2, in,
                   gradient, 1e-6);
  }
  {
    double in[] = {1.7, 0.9};
    Two g = __verso_grad_two((void *)machine, in[0], in[1]);
    double gradient[] = {g.x, g.y};
    CHECK_GRADIENT([](double *v) { return machine(v[0], v[1]); }, 2, in,
                   gradient, 1e-6);
  }
  double in[] = {3, -1, 2, 5, -4, 0.5}, gradient[6] = {};
  __verso_grad((void *)weighted, verso_dup, in, gradient, 6);
  CHECK_GRADIENT([](double *v) { return weighted(v, 6); }, 6, in, gradient,
                 1e-6);
  return check_status();
}
