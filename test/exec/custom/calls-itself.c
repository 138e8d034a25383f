//===- calls-itself.c - derivatives that call their function --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A partial derivative that is made of the function's value, of the function
// itself (exp), or of another one whose derivative is made of the first (sine
// and cosine): to the third order. And a function that counts its calls.
//
// HEAVY: three orders of derivatives
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "check.h"
#include <math.h>
#include <verso/verso.h>

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }
static double sigmoid_x(double x) {
  double s = sigmoid(x);
  return s * (1 - s);
}
VERSO_DERIVATIVE(sigmoid, sigmoid_x);

static double grow(double x) { return exp(x); }
VERSO_DERIVATIVE(grow, grow);

static double sine(double x) { return sin(x); }
static double cosine(double x) { return cos(x); }
static double minus_sine(double x) { return -sine(x); }
VERSO_DERIVATIVE(sine, cosine);
VERSO_DERIVATIVE(cosine, minus_sine);

static int calls;
static double counted(double x) { return ++calls * x; }
static double counted_x(double x) { return calls; }
VERSO_DERIVATIVE(counted, counted_x);

static double both(double x, double y) {
  calls = 0;
  return counted(x) * y + counted(x);
}

#define ORDERS(F)                                                              \
  static double F##1(double x) { return __verso_grad(F, x); }                  \
  static double F##2(double x) { return __verso_jvp(F##1, verso_dup, x, 1.0); }
ORDERS(sigmoid)
ORDERS(grow)
ORDERS(sine)

int main(void) {
  double x = 0.7, s = sigmoid(x), t = s * (1 - s);
  CHECK_CLOSE(sigmoid1(x), t, 1e-15);
  CHECK_CLOSE(sigmoid2(x), t * (1 - 2 * s), 1e-15);
  CHECK_CLOSE(__verso_jvp(sigmoid2, verso_dup, x, 1.0),
              t * (1 - 2 * s) * (1 - 2 * s) - 2 * t * t, 1e-14);
  CHECK_CLOSE(grow1(x), exp(x), 1e-15);
  CHECK_CLOSE(grow2(x), exp(x), 1e-15);
  CHECK_CLOSE(__verso_jvp(grow2, verso_dup, x, 1.0), exp(x), 1e-15);
  CHECK_CLOSE(sine1(x), cos(x), 1e-15);
  CHECK_CLOSE(sine2(x), -sin(x), 1e-15);
  CHECK_CLOSE(__verso_jvp(sine2, verso_dup, x, 1.0), -cos(x), 1e-15);

  // 1 * x * y + 2 * x
  struct pair {
    double x, y;
  } __verso_grad_pair(void *, ...);
  struct pair d = __verso_grad_pair(both, 0.5, 1.5);
  CHECK_EQUAL(d.x, 3.5);
  CHECK_EQUAL(d.y, 0.5);
  return check_status();
}
