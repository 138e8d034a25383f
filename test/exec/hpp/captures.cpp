//===- captures.cpp - lambdas with captures -------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a lambda captures is constant, by value and by reference. What it
// captures by reference and is named after the function varies: its derivatives
// come before those of the arguments.
//
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.hpp"

struct Parameters {
  double slope;
  std::vector<double> weights;
  int count;
};

int main() {
  double a = 3, b = 5;
  CHECK_EQUAL(verso::grad([a, b](double x) { return a * x * x + b; })(2), 12);
  auto by_reference = [&](double x) { return a * x * x * x + b; };
  CHECK_EQUAL(verso::grad(by_reference)(2), 36);
  const auto slope = verso::grad(by_reference);
  a = 4;
  CHECK_EQUAL(slope(2), 48);
  int calls = 0;
  auto counting = [&calls](double x) {
    ++calls;
    return x * x;
  };
  CHECK_EQUAL(verso::grad(counting)(3), 6);
  CHECK_EQUAL(calls, 1);
  std::vector<double> data{1, 2, 3};
  auto fit = [data](double m) {
    double sum = 0;
    for (double v : data)
      sum += (v - m) * (v - m);
    return sum;
  };
  CHECK_EQUAL(verso::grad(fit)(1), -6);

  auto [da, dx] = verso::grad(by_reference, verso::active(a))(2);
  CHECK_EQUAL(da, 8);
  CHECK_EQUAL(dx, 48);
  // Not watched any longer.
  CHECK_EQUAL(verso::grad(by_reference)(2), 48);

  std::vector<double> w{1, 2, 3};
  auto loss = [&w](double x) {
    double sum = 0, power = 1;
    for (double v : w) {
      sum += v * v * power;
      power *= x;
    }
    return sum;
  };
  auto [value, gradient] = verso::value_and_grad(loss, verso::active(w))(2);
  CHECK_EQUAL(value, 1 + 8 + 36);
  CHECK(std::get<0>(gradient).size() == 3);
  CHECK_EQUAL(std::get<0>(gradient)[2], 24);
  CHECK_EQUAL(std::get<1>(gradient), 4 + 36);
  // No argument varies.
  std::vector<double> dw =
      verso::grad(loss, verso::active(w))(verso::constant(2.0));
  CHECK_EQUAL(dw[1], 8);

  const std::vector<std::vector<float>> table{{1, 2}, {3}};
  auto of_table = [&table](double x) {
    return table[0][1] * x * x + table[1][0] * table[1][0];
  };
  auto [dtable, dtx] = verso::grad(of_table, verso::active(table))(3);
  CHECK(dtable[0][0] == 0 && dtable[0][1] == 9 && dtable[1][0] == 6);
  CHECK_EQUAL(dtx, 12);

  Parameters p{2, {3, 4}, 2};
  std::array<float, 2> q{5, 6};
  auto model = [&](double x) {
    double sum = p.slope * x * q[1];
    for (int i = 0; i != p.count; ++i)
      sum += p.weights[i] * p.weights[i] * q[0];
    return sum;
  };
  auto [dp, dq, dt] =
      verso::grad(model, verso::active(p), verso::active(q))(10);
  CHECK_EQUAL(dp.slope, 60);
  CHECK_EQUAL(dp.weights[1], 40);
  CHECK(dp.count == 2);
  CHECK_EQUAL(dq[0], 25);
  CHECK_EQUAL(dq[1], 20);
  CHECK_EQUAL(dt, 12);
  return check_status();
}
