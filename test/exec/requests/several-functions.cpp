//===- several-functions.cpp - requests of one function or another ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A local function that is given several, a constant table of them, two requests
// that LLVM joins: each has its own code, and the program chooses. As calls and,
// where something is to be destroyed, as invokes.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <cmath>
#include <string>

double __verso_jvp(void *, ...);

struct Pair {
  double x, y;
};
Pair __verso_grad_pair(void *, ...);

using Function = double (*)(double);
static double square(double x) { return x * x; }
static double cube(double x) { return x * x * x; }
static double exponential(double x) {
  if (x > 100)
    throw 1;
  return std::exp(x);
}
static double product(double x, double y) { return x * y; }
static double quotient(double x, double y) { return x / y; }

static double slope(Function f, double x) {
  return __verso_grad((void *)f, x);
}
static double tangent(Function f, double x) {
  return __verso_jvp((void *)f, verso_dup, x, 1.0);
}
static Pair both(double (*f)(double, double), double x, double y) {
  return __verso_grad_pair((void *)f, x, y);
}
static const Function table[] = {square, cube, exponential};
CHECK_NOINLINE static double of_table(int i, double x) {
  return __verso_grad((void *)table[i], x);
}
/// Of this one a single element is meant.
static void *const mixed[] = {(void *)product, (void *)cube, nullptr};
CHECK_NOINLINE static double of_element(double x) {
  return __verso_grad(mixed[1], x);
}
CHECK_NOINLINE static double chosen(int which, double x) {
  std::string text(which + 20, 'a');
  double r = which ? __verso_grad((void *)square, x)
                   : __verso_grad((void *)exponential, x);
  return r + (text.size() > 1000);
}
CHECK_NOINLINE static double caught(int which, double x) {
  std::string text(which + 20, 'a');
  try {
    return __verso_grad((void *)table[which], x) + (text.size() > 1000);
  } catch (int) {
    return -1;
  }
}

int main() {
  CHECK_EQUAL(slope(square, 3), 6);
  CHECK_EQUAL(slope(cube, 2), 12);
  CHECK_EQUAL(slope(exponential, 0), 1);
  CHECK_EQUAL(tangent(square, 3), 6);
  CHECK_EQUAL(tangent(cube, 2), 12);
  CHECK_EQUAL(both(product, 3, 4).x, 4);
  CHECK_EQUAL(both(quotient, 3, 4).y, -3.0 / 16);
  const double xs[] = {3, 2, 0}, slopes[] = {6, 12, 1};
  for (int i = 0; i < 3; ++i) {
    CHECK_EQUAL(of_table(i, xs[i]), slopes[i]);
    CHECK_EQUAL(caught(i, xs[i]), slopes[i]);
  }
  CHECK_EQUAL(of_element(2), 12);
  CHECK_EQUAL(caught(2, 101), -1);
  CHECK_EQUAL(chosen(1, 3), 6);
  CHECK_EQUAL(chosen(0, 0), 1);
  return check_status();
}
