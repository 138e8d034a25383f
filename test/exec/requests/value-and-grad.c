//===- value-and-grad.c - the value, first in the struct ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `__verso_value_and_grad` returns the value and then the derivatives; without
// `out` arguments the value alone. A function of float keeps its type.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct one_out {
  double value, x;
};
struct two_out {
  double value, x, y;
};
struct float_out {
  float value, x;
};
struct one_out __verso_value_and_grad_one(void *, ...);
struct two_out __verso_value_and_grad_two(void *, ...);
struct float_out __verso_value_and_grad_float(void *, ...);
double __verso_value_and_grad(void *, ...);

static double wave(double x) { return sin(x) * x; }
static double ratio(double x, double y) { return x / y; }
static float square(float x) { return x * x; }
static double norm2(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i];
  return sum;
}

int main(void) {
  struct one_out a = __verso_value_and_grad_one(wave, 1.25);
  CHECK_EQUAL(a.value, wave(1.25));
  CHECK_CLOSE(a.x, cos(1.25) * 1.25 + sin(1.25), 1e-15);
  struct two_out b = __verso_value_and_grad_two(ratio, 3.0, 4.0);
  CHECK_EQUAL(b.value, 0.75);
  CHECK_EQUAL(b.x, 0.25);
  CHECK_EQUAL(b.y, -3.0 / 16);
  struct float_out c = __verso_value_and_grad_float(square, 3.0f);
  CHECK_EQUAL(c.value, 9);
  CHECK_EQUAL(c.x, 6);
  double x[] = {1, 2, 3}, dx[] = {0, 0, 0};
  CHECK_EQUAL(__verso_value_and_grad(norm2, verso_dup, x, dx, 3), 14);
  CHECK_EQUAL(dx[0], 2);
  CHECK_EQUAL(dx[1], 4);
  CHECK_EQUAL(dx[2], 6);
  return check_status();
}
