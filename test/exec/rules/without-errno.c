//===- without-errno.c - the math library as the optimiser likes it -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With -fno-math-errno the calls become intrinsics and are vectorised; with
// -ffast-math they are reassociated. Derivatives stay what they are, up to the
// rounding that was licensed.
//
// FLAGS: -ffast-math
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double norms(const double *restrict x,
                                   const double *restrict y, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += sqrt(x[i] * x[i] + y[i] * y[i]) + exp(-x[i]) * fabs(y[i]) +
           pow(x[i], 3) / (1 + y[i] * y[i]);
  return sum;
}

int main(void) {
  double x[37], y[37], dx[37] = {0}, dy[37] = {0};
  for (int i = 0; i < 37; ++i) {
    x[i] = 0.5 + 0.05 * i;
    y[i] = 1.5 - 0.07 * i;
  }
  __verso_grad_void(norms, verso_dup, x, dx, verso_dup, y, dy, 37);
  for (int i = 0; i < 37; ++i) {
    double r = sqrt(x[i] * x[i] + y[i] * y[i]), q = 1 + y[i] * y[i];
    CHECK_CLOSE(dx[i], x[i] / r - exp(-x[i]) * fabs(y[i]) + 3 * x[i] * x[i] / q,
                1e-12);
    CHECK_CLOSE(dy[i],
                y[i] / r + exp(-x[i]) * (y[i] < 0 ? -1 : 1) -
                    x[i] * x[i] * x[i] * 2 * y[i] / (q * q),
                1e-12);
  }
  return check_status();
}
