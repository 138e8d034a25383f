//===- seed-10089.c - a pointer made of an integer before its pointer -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a generated program in which forward mode lost a derivative: the pointer
// was made of an integer, and the integer was known to vary, by an index in
// the same sum, before the pointer behind it was.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include <stdint.h>

double __verso_jvp(void *, ...);

struct s {
  double *p;
  int k, j;
};

CHECK_NOINLINE static double f(double *x, double *y, struct s *s) {
  double *row = s->k & 1 ? x : y;
  double *h = (double *)((uintptr_t)row + 8 * (s->j & 3));
  h[2] = h[0] * h[1];
  return h[2] * y[1] + x[2];
}

int main(void) {
  double x[8], dx[8], y[8], dy[8], p[1] = {1}, dp[1] = {0};
  double gx[8] = {0}, gy[8] = {0};
  for (int k = 0; k < 4; ++k) {
    struct s s = {p, k, k + 7}, ds = {dp, k, k + 7};
    for (int i = 0; i < 8; ++i) {
      x[i] = 1 + 0.1 * i, y[i] = 2 - 0.1 * i;
      dx[i] = 0.3 + 0.05 * i, dy[i] = 0.7 - 0.08 * i;
      gx[i] = gy[i] = 0;
    }
    double dot = 0;
    __verso_grad_void((void *)f, verso_dup, x, gx, verso_dup, y, gy, verso_dup,
                      &s, &ds);
    for (int i = 0; i < 8; ++i) {
      x[i] = 1 + 0.1 * i, y[i] = 2 - 0.1 * i;
      dot += gx[i] * dx[i] + gy[i] * dy[i];
    }
    CHECK_CLOSE(__verso_jvp((void *)f, verso_dup, x, dx, verso_dup, y, dy,
                            verso_dup, &s, &ds),
                dot, 1e-13);
  }
  return check_status();
}
