//===- objects.cpp - virtual calls, exceptions, duplicated objects ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Virtual calls on objects built inside and on objects that are duplicated
// with their shadow objects; exceptions that carry numbers through frames with
// destructors; a vector as a duplicated argument; member functions; an
// exception out of the request itself, and the request after it.
//
//===----------------------------------------------------------------------===//

#include "forward.h"
#include <stdexcept>
#include <vector>

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
  virtual void scale(double by) = 0;
};
struct Circle : Shape {
  explicit Circle(double r) : r(r) {}
  double area() const override { return 3 * r * r; }
  void scale(double by) override { r *= by; }
  double r;
};
struct Base {
  double weight = 1;
  virtual double tag() const { return weight; }
};
struct Box : Base, Shape {
  Box(double a, double b) : a(a), b(b) { weight = a; }
  double area() const override { return a * b * weight; }
  void scale(double by) override { a *= by, b *= by * by; }
  double tag() const override { return a - b; }
  double a, b;
};
CHECK_NOINLINE static double total(Shape *const *shapes, int n, double by) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    shapes[i]->scale(by);
    sum += shapes[i]->area() * (i + 1);
  }
  return sum;
}
CHECK_NOINLINE static void built(double *x, double *y) {
  Circle c(x[0]);
  Box b(x[1], x[2]), *heap = new Box(x[2], x[0]);
  Shape *list[] = {&c, &b, heap};
  y[0] = total(list, 3, x[3]);
  Base *base = &b;
  y[1] = base->tag() * static_cast<Base *>(heap)->tag();
  double Box::*member = x[0] > 0 ? &Box::a : &Box::b;
  y[1] += heap->*member;
  delete heap;
}
struct Failure {
  double value;
};
struct Guard {
  double &target, by;
  ~Guard() { target *= by; }
};
CHECK_NOINLINE static double risky(double x, double limit, double &log) {
  Guard guard{log, x};
  if (x > limit)
    throw Failure{x * x};
  return x * limit;
}
CHECK_NOINLINE static void caught(double *x, double *y) {
  double log = x[3];
  y[0] = 0;
  for (int i = 0; i < 4; ++i) {
    try {
      std::vector<double> keep(3, x[i]);
      y[0] += risky(keep[1] * 2, x[0], log) * keep[2];
    } catch (const Failure &f) {
      y[0] += f.value * x[2];
    }
  }
  y[1] = log;
}
CHECK_NOINLINE static double from_vector(std::vector<double> &v) {
  double sum = 0;
  for (double &e : v) {
    e *= e;
    sum += e;
  }
  return sum * v[0];
}
static double global_trace;
CHECK_NOINLINE static double throws(double x) {
  std::vector<double> v(100, x);
  global_trace = x;
  if (x > 1)
    throw std::runtime_error("too large");
  return v[3] * x + global_trace;
}
CHECK_NOINLINE static double reads_trace(double x) { return global_trace * x; }

int main() {
  double x[] = {0.7, 1.3, 0.4, 1.2};
  CHECK_TRANSPOSE(built, 4, 2, x);
  CHECK_TRANSPOSE(caught, 4, 2, x);

  Circle c(2), dc(1);
  Box b(1, 3), db(0, 0.5);
  db.weight = 0.25;
  Shape *list[] = {&c, &b}, *dlist[] = {&dc, &db};
  // Circle: r = 2 * 2, area 48, d: 2 * 3 * 4 * (2 + 2 * 0.1).
  // Box: a = 2, b = 12, w = 1, area 24.
  double da = 0.1, dB = 0.5 * 4 + 3 * 4 * 0.1;
  CHECK_CLOSE(__verso_jvp((void *)total, verso_dup, list, dlist, verso_const, 2,
                          verso_dup, 2.0, 0.1),
              24 * 2.2 + 2 * (da * 12 + 2 * dB + 24 * 0.25), 1e-14);
  CHECK_CLOSE(dc.r, 2.2, 1e-15);
  CHECK_CLOSE(db.b, dB, 1e-15);

  std::vector<double> v{1, 2, 3}, dv{1, 0, 2};
  CHECK_EQUAL(__verso_jvp((void *)from_vector, verso_dup, &v, &dv),
              14 * 2 + (2 + 12) * 1);
  CHECK_EQUAL(dv[2], 12);
  CHECK(v.size() == 3 && dv.size() == 3);

  for (int i = 0; i < 50; ++i) {
    bool thrown = false;
    try {
      __verso_jvp((void *)throws, verso_dup, 2.0, 1.0);
    } catch (const std::runtime_error &) {
      thrown = true;
    }
    CHECK(thrown);
    // The request that was abandoned left no tangent of global_trace.
    CHECK_EQUAL(__verso_jvp((void *)reads_trace, verso_dup, 3.0, 1.0), 2);
    CHECK_EQUAL(__verso_jvp((void *)throws, verso_dup, 0.5, 1.0), 2);
  }
  return check_status();
}
