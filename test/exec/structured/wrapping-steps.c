//===- wrapping-steps.c - indices that come around to the same place
//-------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index of unsigned type may wrap around: x[k * 2^57] is x[0] for every k
// that is made use of here, so each iteration overwrites what the last one
// wrote.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "verso/verso.h"

CHECK_NOINLINE static double iterate(double *x, const int *use, size_t n) {
  double s = 0;
  for (size_t k = 0; k < n; ++k)
    if (use[k]) {
      double *at = x + (k << 57);
      for (size_t j = 0; j < 5; ++j)
        at[j] = sin(x[5] + s + j);
      for (size_t j = 0; j < 5; ++j)
        s += at[j] * at[4 - j];
    }
  return s;
}

int main(void) {
  double x[6] = {0, 0, 0, 0, 0, 0.7}, d[6] = {0}, s = 0, ds = 0;
  int use[300] = {0};
  use[0] = use[128] = use[256] = 1;
  __verso_grad_void((void *)iterate, verso_dup, x, d, verso_const, use,
                    verso_const, (size_t)300);
  for (int k = 0; k < 3; ++k) {
    double y[5], dy[5];
    for (int j = 0; j < 5; ++j) {
      y[j] = sin(x[5] + s + j);
      dy[j] = cos(x[5] + s + j) * (1 + ds);
    }
    for (int j = 0; j < 5; ++j) {
      s += y[j] * y[4 - j];
      ds += 2 * dy[j] * y[4 - j];
    }
  }
  CHECK_CLOSE(d[0], 0, 0);
  CHECK_CLOSE(d[5], ds, 1e-13);
  return check_status();
}
