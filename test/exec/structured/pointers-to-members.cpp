//===- pointers-to-members.cpp - calls through pointers to members --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer to a member function is two integers in memory of the caller. What
// the caller stores there is assumed to be there; the request compares, and is
// taped where it is something else: another function, one that is virtual, one
// of a base class that is not the first, or what was changed meanwhile.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct Linear {
  double a, b;
  double at(double t) const { return a * t + b; }
  double squared(double t) const { return at(t) * at(t); }
};
struct Other {
  double c = 2;
  virtual double times(double t) const { return c * t * t; }
  virtual ~Other() = default;
};
struct Derived : Other, Linear {
  Derived(double a, double b) : Linear{a, b} {}
  double times(double t) const override { return c * t * t * t; }
};

template <class T> struct Frame {
  double (T::*member)(double) const;
  const T *object;
  double scale;
};

template <class T> static double call(const Frame<T> *f, const double *x) {
  return f->scale * (f->object->*f->member)(x[0]) * x[1];
}

/// The other pointer leads to the same frame.
static double changed(const Frame<Linear> *f, Frame<Linear> *same,
                      const double *x) {
  double first = (f->object->*f->member)(x[0]);
  same->member = &Linear::squared;
  return first + (f->object->*f->member)(x[1]);
}

template <class T>
CHECK_NOINLINE static void check(double (T::*member)(double) const, const T &o,
                                 double value, double slope) {
  Frame<T> f{member, &o, 3};
  double x[2] = {2, 5}, d[2] = {};
  __verso_grad_void((void *)call<T>, verso_const, &f, verso_dup, x, d);
  CHECK_CLOSE(d[0], 15 * slope, 1e-14);
  CHECK_CLOSE(d[1], 3 * value, 1e-14);
}

int main() {
  Linear l{3, 4};
  Derived derived(3, 4);
  double x[2] = {2, 5}, d[2] = {};
  // It stands in the frame.
  Frame<Linear> f{&Linear::at, &l, 3};
  __verso_grad_void((void *)call<Linear>, verso_const, &f, verso_dup, x, d);
  CHECK_EQUAL(d[0], 45);
  CHECK_EQUAL(d[1], 30);
  // An object behind another one.
  Frame<Derived> g{&Derived::squared, &derived, 1};
  d[0] = d[1] = 0;
  __verso_grad_void((void *)call<Derived>, verso_const, &g, verso_dup, x, d);
  CHECK_EQUAL(d[0], 2 * 10 * 3 * 5);
  CHECK_EQUAL(d[1], 100);
  // Nobody knows it.
  check(&Linear::at, l, 10, 3);
  check(&Linear::squared, l, 100, 60);
  check<Derived>(&Derived::at, derived, 10, 3);
  check(&Derived::times, derived, 16, 24);
  check<Other>(&Other::times, derived, 16, 24);
  check<Other>(&Other::times, Other(), 8, 8);
  // It is changed.
  d[0] = d[1] = 0;
  __verso_grad_void((void *)changed, verso_const, &f, verso_const, &f,
                    verso_dup, x, d);
  CHECK_EQUAL(d[0], 3);
  CHECK_EQUAL(d[1], 2 * 19 * 3);
  CHECK(f.member == &Linear::squared);
  // What the frame holds was changed since it was filled.
  d[0] = d[1] = 0;
  f.scale = 1;
  __verso_grad_void((void *)call<Linear>, verso_const, &f, verso_dup, x, d);
  CHECK_EQUAL(d[0], 5 * 60);
  CHECK_EQUAL(d[1], 100);
  return check_status();
}
