//===- scalars.cpp - gradients of functions of numbers --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// verso::grad and verso::value_and_grad of functions, function pointers,
// lambdas, generic lambdas, function objects, member functions and constants of
// the program, for every type of number; arguments convert as in a call;
// integers, enumerations, functions and what is marked so are constant. One
// derivative is a number, several are a tuple in the order of the arguments.
//
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.hpp"

static double cube(double x) { return x * x * x; }
static double weighted(double x, int n, float y, const char *, long double z) {
  return n * x + 2 * x * y + static_cast<double>(3 * y * z);
}
static float singles(float x, float y, float z) { return x * y * z * z; }
static long double extended(long double x) { return x * x; }
static double by_reference(const double &x, double &&y) { return x * y * y; }

struct Quadratic {
  double a, b;
  double operator()(double x) const { return a * x * x + b * x; }
  double at(double x) const { return (*this)(x)*x; }
};
struct Generic {
  template <class T> T operator()(T x, T y) const { return x * x * y; }
};
enum class Mode { Square, Cube };
static double chosen(Mode m, double x) {
  return m == Mode::Square ? x * x : x * x * x;
}
static double applied(double (*f)(double), double x) { return f(x) * x; }

int main() {
  // An int is given for the double.
  CHECK_EQUAL(verso::grad(cube)(2), 12);
  CHECK_EQUAL(verso::grad(&cube)(2.0f), 12);
  CHECK_EQUAL(verso::grad(verso::fn<cube>)(3), 27);
  double (*pointer)(double) = cube;
  CHECK_EQUAL(verso::grad(pointer)(1.0), 3);
  const double fixed = 2;
  double variable = 3;
  CHECK_EQUAL(verso::grad(cube)(fixed), 12);
  CHECK_EQUAL(verso::grad(cube)(variable), 27);

  auto [dx, dy, dz] = verso::grad(weighted)(2, 5, 3.0f, "text", 4);
  static_assert(std::is_same_v<decltype(dx), double> &&
                std::is_same_v<decltype(dy), float> &&
                std::is_same_v<decltype(dz), long double>);
  CHECK_EQUAL(dx, 5 + 6);
  CHECK_EQUAL(dy, 4 + 12);
  CHECK_EQUAL(dz, 9);
  auto [value, gradient] = verso::value_and_grad(weighted)(
      2, 5, verso::constant(3.0f), "", verso::constant(4));
  static_assert(std::is_same_v<decltype(gradient), double>);
  CHECK_EQUAL(value, 10 + 12 + 36);
  CHECK_EQUAL(gradient, 11);

  auto [fx, fy, fz] = verso::grad(singles)(2, 3, 4);
  static_assert(std::is_same_v<decltype(fx), float>);
  CHECK_EQUAL(fx, 48);
  CHECK_EQUAL(fy, 32);
  CHECK_EQUAL(fz, 48);
  auto all = verso::value_and_grad(singles)(2, 3, 4);
  CHECK_EQUAL(all.value, 96);
  CHECK_EQUAL(std::get<2>(all.gradient), 48);
  CHECK_EQUAL(verso::grad(extended)(3), 6);
  auto [rx, ry] = verso::grad(by_reference)(2, 3);
  CHECK_EQUAL(rx, 9);
  CHECK_EQUAL(ry, 12);

  CHECK_EQUAL(verso::grad([](double x) { return 1 / x; })(2), -0.25);
  CHECK_EQUAL(verso::grad([](auto x) { return x * x; })(3.0), 6);
  CHECK_EQUAL(verso::grad([](const auto &x) { return x * x; })(3.0f), 6);
  auto [gx, gy] = verso::grad(Generic())(2.0, 3.0);
  CHECK_EQUAL(gx, 12);
  CHECK_EQUAL(gy, 4);
  Quadratic q{3, 5};
  CHECK_EQUAL(verso::grad(q)(2), 17);
  CHECK_EQUAL(verso::grad(&Quadratic::at)(verso::constant(q), 2), 36 + 20);
  // The object varies as well: its derivative is an object.
  auto [dq, dt] = verso::grad(&Quadratic::at)(q, 2);
  CHECK_EQUAL(dq.a, 8);
  CHECK_EQUAL(dq.b, 4);
  CHECK_EQUAL(dt, 56);

  CHECK_EQUAL(verso::grad(chosen)(Mode::Square, 3), 6);
  CHECK_EQUAL(verso::grad(chosen)(Mode::Cube, 3), 27);
  CHECK_EQUAL(verso::grad(applied)(cube, 2), 32);
  CHECK_EQUAL(verso::grad(verso::fn<applied>)(cube, verso::active(2.0)), 32);

  // A gradient function can be kept, and given on.
  const auto slope = verso::grad(cube);
  double sum = 0;
  for (int i = 0; i != 10; ++i)
    sum += slope(i);
  CHECK_EQUAL(sum, 3 * 285);
  return check_status();
}
