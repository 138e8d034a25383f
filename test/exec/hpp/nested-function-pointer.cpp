//===- nested-function-pointer.cpp - second derivatives through a pointer -===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A gradient of a gradient of a function that is given by name, and so called
// through a pointer. The plugin has no twin of a twin in its table yet, which
// is what REQUIRES stands for; a lambda or verso::fn<f> does not need it.
//
//
// HEAVY: verso.hpp is made of templates
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.hpp"

static double quartic(double x) { return x * x * x * x; }
static double norm(const std::array<double, 2> &x) {
  return x[0] * x[0] * x[0] * x[1];
}

int main() {
  CHECK_EQUAL(verso::grad(verso::grad(quartic))(2), 48);
  CHECK_EQUAL(verso::grad(verso::grad(verso::grad(quartic)))(2), 48);
  auto h = verso::jacrev(verso::grad(norm))(std::array<double, 2>{2, 3});
  CHECK(h(0, 0) == 36 && h(0, 1) == 12 && h(1, 0) == 12 && h(1, 1) == 0);
  return check_status();
}
