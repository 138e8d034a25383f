//===- vjp-returned-value.c - the cotangent of a returned value -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `__verso_vjp` of a function that returns a number takes the number's
// cotangent as its last argument; outputs in memory are seeded by their shadows
// beside it.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_vjp(void *, ...);
float __verso_vjp_float(void *, ...);
struct pair {
  double x, y;
};
struct pair __verso_vjp_pair(void *, ...);

static double product(double x, double y) { return x * y; }
static float cube(float x) { return x * x * x; }
static double both(const double *x, double *squares, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    squares[i] = x[i] * x[i];
    sum += x[i];
  }
  return sum;
}

int main(void) {
  struct pair g = __verso_vjp_pair(product, 3.0, 5.0, 10.0);
  CHECK_EQUAL(g.x, 50);
  CHECK_EQUAL(g.y, 30);
  CHECK_EQUAL(__verso_vjp(product, 3.0, verso_const, 5.0, -2.0), -10);
  CHECK_EQUAL(__verso_vjp_float(cube, 2.0f, 0.5f), 6);
  double x[] = {1, 2, 3}, dx[] = {0, 0, 0}, y[3], dy[] = {1, 10, 100};
  __verso_vjp_void(both, verso_dup, x, dx, verso_dup, y, dy, 3, 7.0);
  CHECK_EQUAL(dx[0], 7 + 2);
  CHECK_EQUAL(dx[1], 7 + 40);
  CHECK_EQUAL(dx[2], 7 + 600);
  CHECK(dy[0] == 0 && dy[1] == 0 && dy[2] == 0);
  return check_status();
}
