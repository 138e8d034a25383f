//===- header.cpp - Verso's own header in C++ -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that includes verso/verso.h instead of declaring anything itself.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.h"
#include <vector>

static double energy(const std::vector<double> &x) {
  double sum = 0;
  for (double v : x)
    sum += v * v;
  return sum;
}
static double square(double x) { return x * x; }

int main() {
  std::vector<double> x{1, 2, 3}, dx(3);
  CHECK_EQUAL(__verso_value_and_grad((void *)energy, verso_dup, &x, &dx), 14);
  CHECK_EQUAL(dx[2], 6);
  CHECK_EQUAL(__verso_grad((void *)square, verso_out, 3.0), 6);
  return check_status();
}
