//===- shared-callee.c - one function called actively and otherwise -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same function serves the differentiated code and, with constants,
// everything else, before, within and after a request.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

static int calls;
CHECK_NOINLINE static double evaluate(const double *c, double x) {
  ++calls;
  return c[0] + c[1] * x + c[2] * x * x;
}
CHECK_NOINLINE static double f(const double *fixed, const double *varying,
                               double x) {
  return evaluate(fixed, 2.0) * evaluate(varying, x) + evaluate(fixed, x);
}

int main(void) {
  double c[] = {1, 2, 3}, v[] = {4, 5, 6}, dv[3] = {0};
  CHECK_EQUAL(evaluate(c, 1), 6);
  double dx = __verso_grad(f, verso_const, c, verso_dup, v, dv, 10.0);
  CHECK_EQUAL(dx, 17 * (5 + 120) + 2 + 60);
  CHECK_EQUAL(dv[0], 17);
  CHECK_EQUAL(dv[1], 170);
  CHECK_EQUAL(dv[2], 1700);
  CHECK_EQUAL(evaluate(c, 1), 6);
  CHECK_EQUAL(calls, 5);
  return check_status();
}
