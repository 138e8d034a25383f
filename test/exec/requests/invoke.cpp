//===- invoke.cpp - a request inside a try block --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where an exception could be caught the request is an `invoke`. The result is
// right, and an exception that the differentiated function throws is caught
// outside, after which requests still work.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdexcept>
#include <string>

CHECK_NOINLINE static double guarded(double x) {
  if (x < 0)
    throw std::domain_error("negative");
  return x * std::sqrt(x);
}

static double slope_or(double x, double otherwise) {
  std::string label = "slope"; // Something to destroy while unwinding.
  try {
    return __verso_grad((void *)guarded, x);
  } catch (const std::domain_error &) {
    return otherwise + static_cast<double>(label.size()) - 5;
  }
}

int main() {
  CHECK_CLOSE(slope_or(4, -1), 3, 1e-15);
  CHECK_EQUAL(slope_or(-4, -1), -1);
  CHECK_CLOSE(slope_or(9, -1), 4.5, 1e-15);
  for (int i = 0; i < 100; ++i)
    CHECK_EQUAL(slope_or(-1, i), i);
  CHECK_CLOSE(slope_or(4, -1), 3, 1e-15);
  return check_status();
}
