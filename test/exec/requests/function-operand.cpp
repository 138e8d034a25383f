//===- function-operand.cpp - ways to name the function -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function given as a template parameter, through a cast to another type of
// function, as the function pointer of a lambda, as a static member, as an
// instance of a template, and through a constant pointer.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

static double square(double x) { return x * x; }
template <double (*Function)(double)> static double slope(double x) {
  return __verso_grad((void *)Function, x);
}
struct Model {
  static double energy(double x) { return x * x * x; }
};
template <typename T> static T quartic(T x) { return x * x * x * x; }
static double (*const chosen)(double) = square;

int main() {
  CHECK_EQUAL(slope<square>(3), 6);
  CHECK_EQUAL(slope<Model::energy>(2), 12);
  CHECK_EQUAL(__verso_grad((void *)(void (*)())square, 4.0), 8);
  double (*lambda)(double) = [](double x) { return 5 * x * x; };
  CHECK_EQUAL(__verso_grad((void *)lambda, 2.0), 20);
  CHECK_EQUAL(__verso_grad((void *)+[](double x) { return 1 / x; }, 2.0),
              -0.25);
  CHECK_EQUAL(__verso_grad((void *)&Model::energy, 3.0), 27);
  CHECK_EQUAL(__verso_grad((void *)quartic<double>, 2.0), 32);
  CHECK_EQUAL(__verso_grad((void *)chosen, 5.0), 10);
  return check_status();
}
