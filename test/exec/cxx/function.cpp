//===- function.cpp - std::function and lambdas ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lambdas that capture by value and by reference, generic ones, one that calls
// itself, and std::function holding small and large closures.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <array>
#include <functional>
#include <vector>

template <class F> CHECK_NOINLINE static double twice(F &&f, double x) {
  return f(f(x));
}
CHECK_NOINLINE static double by_reference(double x, double y) {
  double sum = 0;
  auto add = [&](double v) {
    sum += v * v;
    x += v;
  };
  add(y);
  add(x);
  return sum * x;
}
CHECK_NOINLINE static double by_value(double x, double y) {
  auto scale = [factor = x * y](auto v) { return v * factor; };
  return twice(scale, y);
}
CHECK_NOINLINE static double erased(double x, double y) {
  std::array<double, 12> table{};
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = x * static_cast<double>(i);
  std::vector<std::function<double(double)>> steps;
  steps.emplace_back([](double v) { return v * v; });
  steps.emplace_back([y](double v) { return v + y; });
  steps.emplace_back([table](double v) { return v * table[3] + table[11]; });
  std::function<double(double)> copy = steps[1];
  steps.push_back(copy);
  double v = x;
  for (const auto &step : steps)
    v = step(v);
  return v;
}
CHECK_NOINLINE static double recursive(double x, double y) {
  std::function<double(int)> f = [&](int n) {
    return n == 0 ? y : x * f(n - 1) + y;
  };
  return f(6);
}

struct Two {
  double x, y;
};
extern "C" Two __verso_grad_two(void *, ...);

template <double (*F)(double, double)> static void compare(double x, double y) {
  Two g = __verso_grad_two((void *)F, x, y);
  double in[] = {x, y}, gradient[] = {g.x, g.y};
  CHECK_GRADIENT([](double *v) { return F(v[0], v[1]); }, 2, in, gradient,
                 1e-8);
}

int main() {
  compare<by_reference>(1.5, -0.5);
  compare<by_value>(1.5, -0.5);
  compare<erased>(1.5, -0.5);
  compare<recursive>(1.5, -0.5);
  return check_status();
}
