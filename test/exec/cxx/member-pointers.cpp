//===- member-pointers.cpp - members through pointers, objects in place ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointers to member functions (virtual ones too) and to data members, operator
// overloads, a static object with a constructor, and placement new.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <new>

struct Point {
  double x, y;
  Point operator+(const Point &o) const { return {x + o.x, y + o.y}; }
  Point operator*(double f) const { return {x * f, y * f}; }
  double cross(const Point &o) const { return x * o.y - y * o.x; }
  double dot(const Point &o) const { return x * o.x + y * o.y; }
};
struct Base {
  virtual ~Base() = default;
  virtual double value(double x) { return x; }
};
struct Derived : Base {
  double value(double x) override { return x * x * x; }
};
struct Weights {
  Weights() : first(2) {}
  double first;
};

CHECK_NOINLINE static double run(double x, double y, int which) {
  static const Weights weights;
  double (Point::*product)(const Point &) const =
      which ? &Point::cross : &Point::dot;
  double Point::*member = which ? &Point::x : &Point::y;
  alignas(Derived) unsigned char storage[sizeof(Derived)];
  Base *object = which ? new (storage) Derived : new (storage) Base;
  double (Base::*value)(double) = &Base::value;
  Point p{x, y}, q = p * y + Point{1, x};
  double result =
      (p.*product)(q)*weights.first + q.*member + (object->*value)(x);
  object->~Base();
  return result;
}

struct Two {
  double x, y;
};
extern "C" Two __verso_grad_two(void *, ...);

int main() {
  double in[] = {0.7, 0.9};
  Two g = __verso_grad_two((void *)run, in[0], in[1], 0);
  double a[] = {g.x, g.y};
  CHECK_GRADIENT([](double *v) { return run(v[0], v[1], 0); }, 2, in, a, 1e-9);
  g = __verso_grad_two((void *)run, in[0], in[1], 1);
  double b[] = {g.x, g.y};
  CHECK_GRADIENT([](double *v) { return run(v[0], v[1], 1); }, 2, in, b, 1e-9);
  return check_status();
}
