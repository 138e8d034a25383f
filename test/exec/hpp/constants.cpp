//===- constants.cpp - what is constant, of every kind
//---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constants by value, by reference to what the function may change, to const,
// to an abstract class, to arrays; moved, converted on the way; functions. Each
// is an operand of its own.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <verso/verso.hpp>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

using verso::constant;

enum class Kind { Square, Cube };

struct Shape {
  virtual double at(double x) const = 0;
  virtual ~Shape() = default;
};
struct Twice : Shape {
  double at(double x) const override { return 2 * x; }
};

static double square(double x) { return x * x; }

static double all(const std::vector<double> &x, Kind kind, bool scales,
                  const double &by, float factor, double (*f)(double),
                  const double (&row)[3], int &count, const Shape &shape,
                  const std::string &name, const char *text, long double ld,
                  std::vector<double> scratch, std::vector<int> &&moved,
                  const std::function<double(double)> &g, unsigned long n) {
  ++count;
  double sum = 0;
  for (size_t i = 0; i < n; ++i) {
    double v = x[i];
    v = kind == Kind::Cube ? v * v * v : v * v;
    if (scales)
      v *= by * factor;
    scratch[i] = f(v) + row[i % 3] * v + shape.at(v) + g(v);
    sum += scratch[i] * double(name.size() + text[0] - 'a') * double(ld) +
           moved[0];
  }
  return sum;
}

/// Its derivative by the one number that varies.
static double slope(double x, double row) {
  double v = 0.625 * x * x * x, dv = 0.625 * 3 * x * x;
  return (2 * v + row + 2 + std::cos(v)) * dv * 4 * 1.5;
}

int main() {
  std::vector<double> x{0.5, 1.5, -0.75}, scratch(3);
  double by = 1.25, row[3] = {1, 2, 3};
  Twice shape;
  std::string name = "abc";
  int count = 0;
  std::function<double(double)> sine = [](double v) { return std::sin(v); };
  auto [value, d] = verso::value_and_grad(all)(
      x, Kind::Cube, true, constant(by), constant(0.5f), square, constant(row),
      count, constant(shape), name, "b", constant(1.5L), constant(scratch),
      constant(std::vector<int>{7}), constant(sine), 3);
  CHECK_EQUAL(count, 1);
  CHECK_EQUAL(scratch[0], 0);
  CHECK_CLOSE(value,
              all(x, Kind::Cube, true, by, 0.5f, square, row, count, shape,
                  name, "b", 1.5L, scratch, {7}, sine, 3),
              1e-15);
  const std::vector<double> &gradient = std::get<0>(std::tie(d));
  for (int i = 0; i < 3; ++i)
    CHECK_CLOSE(gradient[i], slope(x[i], row[i]), 1e-14);

  // Floats that are constant, beside one that is not.
  auto mixed = [](double a, float b, double c) { return a * b * c; };
  CHECK_EQUAL(verso::grad(mixed)(2.0, constant(3.0f), constant(5.0)), 15);
  auto [p, dp] =
      verso::jvp(mixed, std::tuple(2.0, constant(3.0f), constant(5.0)), 4.0);
  CHECK_EQUAL(p, 30);
  CHECK_EQUAL(dp, 60);
  return check_status();
}
