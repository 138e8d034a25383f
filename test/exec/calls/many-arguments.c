//===- many-arguments.c - more arguments than registers -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Active arguments that are passed on the stack, mixed with integers, pointers
// and floats.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double many(double a, int i, double b, float c,
                                  const double *d, double e, double f, long j,
                                  double g, double h, double k, double l,
                                  double m, float n, double o) {
  return a + 2 * b * i + 3 * c + 4 * d[0] + 5 * e + 6 * f + 7 * g * (double)j +
         8 * h + 9 * k + 10 * l + 11 * m + 12 * n + 13 * o;
}
CHECK_NOINLINE static double use(const double *x) {
  return many(x[0], 2, x[1], (float)x[2], x + 3, x[4], x[5], 3, x[6], x[7],
              x[8], x[9], x[10], (float)x[11], x[12]);
}

int main(void) {
  double x[13] = {0}, dx[13] = {0};
  __verso_grad_void(use, verso_dup, x, dx);
  for (int i = 0; i < 13; ++i)
    CHECK_EQUAL(dx[i], (i + 1) * (i == 1 ? 2 : i == 6 ? 3 : 1));
  return check_status();
}
