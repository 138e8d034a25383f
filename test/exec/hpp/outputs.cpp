//===- outputs.cpp - arguments that a function writes ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An argument by reference is an input and an output: the function writes it as
// in a plain call, and its gradient is with respect to what was there before.
// An output (verso::out) takes no place among the gradients. Derivatives go
// through what was written, also through memory that is marked constant.
//
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.hpp"

static double in_place(std::vector<double> &x) {
  for (double &v : x)
    v = v * v;
  return x[0] * x[1];
}
static double with_scratch(const std::vector<double> &x,
                           std::vector<double> &scratch) {
  for (std::size_t i = 0; i != x.size(); ++i)
    scratch[i] = x[i] * x[i];
  double sum = 0;
  for (double v : scratch)
    sum += v * v;
  return sum;
}
static double counter(double x, double &state, int &steps) {
  ++steps;
  state = state * x;
  return state * state;
}
static double through_view(std::span<double> x) {
  x[0] *= x[1];
  return x[0] * 3;
}

int main() {
  std::vector<double> x{2, 3};
  auto [value, dx] = verso::value_and_grad(in_place)(x);
  CHECK_EQUAL(value, 36);
  CHECK(x[0] == 4 && x[1] == 9);
  CHECK_EQUAL(dx[0], 2 * 2 * 9);
  CHECK_EQUAL(dx[1], 2 * 3 * 4);

  std::vector<double> y{1, 2}, scratch(2, 7.0);
  auto dy = verso::grad(with_scratch)(y, verso::out(scratch));
  static_assert(std::is_same_v<decltype(dy), std::vector<double>>);
  CHECK_EQUAL(dy[1], 32);
  CHECK(scratch[0] == 1 && scratch[1] == 4);
  auto [dz, dscratch] = verso::grad(with_scratch)(y, scratch);
  CHECK_EQUAL(dz[1], 32);
  CHECK(dscratch[0] == 0 && dscratch[1] == 0);
  auto du = verso::grad(with_scratch)(y, verso::constant(scratch));
  CHECK_EQUAL(du[0], 4);

  double state = 5;
  int steps = 0;
  auto [dt, dstate] = verso::grad(counter)(2, state, steps);
  CHECK_EQUAL(dt, 2 * 10 * 5);
  CHECK_EQUAL(dstate, 2 * 10 * 2);
  CHECK(state == 10 && steps == 1);

  double raw[2] = {2, 3};
  auto dr = verso::grad(through_view)(raw);
  CHECK(raw[0] == 6);
  CHECK(dr[0] == 9 && dr[1] == 6);

  // The parameters of a generic lambda say nothing.
  double s = 3;
  auto generic = [](auto x, auto &s) {
    s = s * s;
    return s * x;
  };
  auto [gx, gs] = verso::grad(generic)(2.0, verso::inout(s));
  CHECK(gx == 9 && gs == 12 && s == 9);
  return check_status();
}
