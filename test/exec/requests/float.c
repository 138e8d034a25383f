//===- float.c - float arguments and results ------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A float argument reaches the variadic call as a double; its derivative comes
// back in the declared type. Mixed with doubles, and as arrays of floats.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct mixed {
  float x;
  double y;
};
struct mixed __verso_grad_mixed(void *, ...);

static float cube(float x) { return x * x * x; }
static double mixed(float x, double y) { return x * y * y; }
static float dot(const float *x, const float *y, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * y[i];
  return sum;
}

int main(void) {
  CHECK_EQUAL(__verso_grad_float(cube, 2.0f), 12);
  CHECK_EQUAL(__verso_grad_float(cube, verso_out, 0.5f), 0.75);
  struct mixed g = __verso_grad_mixed(mixed, 1.5f, 3.0);
  CHECK_EQUAL(g.x, 9);
  CHECK_EQUAL(g.y, 9);
  float x[] = {1, 2, 3, 4, 5}, y[] = {-1, 0.5f, 2, 0, 7};
  float dx[5] = {0}, dy[5] = {0};
  __verso_grad_void(dot, verso_dup, x, dx, verso_dup, y, dy, 5);
  for (int i = 0; i < 5; ++i) {
    CHECK_EQUAL(dx[i], y[i]);
    CHECK_EQUAL(dy[i], x[i]);
  }
  return check_status();
}
