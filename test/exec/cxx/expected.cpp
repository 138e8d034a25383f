//===- expected.cpp - std::expected and std::unexpected -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// std::unexpected<E> is a class; the function std::unexpected(), which ends the
// program, is another thing.
//
// FLAGS: -std=c++23
//
//===----------------------------------------------------------------------===//

#include "../derivative.h"
#include <expected>

struct Failure {
  double residual;
};
CHECK_NOINLINE static std::expected<double, Failure> root(double x) {
  if (x < 0)
    return std::unexpected(Failure{x * x});
  return x * x * x;
}
CHECK_NOINLINE static double value(double x) {
  std::expected<double, Failure> y = root(x);
  return y ? *y : y.error().residual;
}
CHECK_NOINLINE static double thrown(double x) {
  try {
    return root(x).value();
  } catch (const std::bad_expected_access<Failure> &e) {
    return e.error().residual * x;
  }
}

int main() {
  CHECK_DERIVATIVE(value, 2.0, 12, 1e-14);
  CHECK_DERIVATIVE(value, -2.0, -4, 1e-14);
  CHECK_DERIVATIVE(thrown, 2.0, 12, 1e-14);
  CHECK_DERIVATIVE(thrown, -2.0, 12, 1e-14);
  return check_status();
}
