//===- aliasing-arguments.c - one array under two names -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same array and the same shadow given for two arguments: the gradient is
// that of the function of the one array. Also two overlapping windows of it.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * y[i];
  return sum;
}
CHECK_NOINLINE static void add(double *to, const double *from, int n) {
  for (int i = 0; i < n; ++i)
    to[i] += 2 * from[i];
}

int main(void) {
  double x[] = {1, 2, 3, 4}, dx[4] = {0};
  __verso_grad_void(dot, verso_dup, x, dx, verso_dup, x, dx, 4);
  for (int i = 0; i < 4; ++i)
    CHECK_EQUAL(dx[i], 2 * x[i]);

  double shifted[4] = {0};
  __verso_grad_void(dot, verso_dup, x, shifted, verso_dup, x + 1, shifted + 1,
                    3);
  CHECK_EQUAL(shifted[0], 2);
  CHECK_EQUAL(shifted[1], 1 + 3);
  CHECK_EQUAL(shifted[2], 2 + 4);
  CHECK_EQUAL(shifted[3], 3);

  // y[i + 1] += 2 y[i], in order: a recurrence.
  double y[] = {1, 1, 1, 1}, dy[] = {0, 0, 0, 1};
  __verso_vjp_void(add, verso_dup, y + 1, dy + 1, verso_dup, y, dy, 3);
  CHECK_EQUAL(y[3], 15);
  CHECK_EQUAL(dy[0], 8);
  CHECK_EQUAL(dy[1], 4);
  CHECK_EQUAL(dy[2], 2);
  CHECK_EQUAL(dy[3], 1);
  return check_status();
}
