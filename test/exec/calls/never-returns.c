//===- never-returns.c - calls without a body that end the program --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing comes of a call that never returns: it needs no rule, even if it is
// given numbers that vary.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "verso/verso.h"

__attribute__((weak)) extern _Noreturn void give_up(const char *Why,
                                                    const double *At, double X);

static double checked(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0)
      give_up("negative", x + i, s);
    s += x[i] * sqrt(x[i]);
  }
  return s;
}

int main(void) {
  double x[4] = {0.25, 1, 2.25, 4}, d[4] = {0};
  __verso_grad_void((void *)checked, verso_dup, x, d, verso_const, 4);
  for (int i = 0; i < 4; ++i)
    CHECK_CLOSE(d[i], 1.5 * sqrt(x[i]), 1e-14);
  return check_status();
}
