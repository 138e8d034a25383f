//===- a-range-unknown.c - two arguments are bounded, a third is not ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without the range of the last there is no test of them all, so there is no
// second version (which crashed the compiler).
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "verso/verso.h"

CHECK_NOINLINE static double mixed(double *a, double *b, double *c,
                                   const long *at, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    s += a[i] * a[i];
    b[i] = s * b[i];
    c[at[i]] += b[i] * c[at[i]];
  }
  return s + c[0];
}

int main(void) {
  double a[3] = {0.5, 0.8, 1.1}, b[3] = {0.3, 0.2, 0.7}, c[2] = {1, 2};
  double da[3] = {0}, db[3] = {0}, dc[2] = {0};
  long at[3] = {0, 1, 0};
  __verso_grad_void((void *)mixed, verso_dup, a, da, verso_dup, b, db,
                    verso_dup, c, dc, verso_const, at, verso_const, 3);
  // s3 + c0 (1 + s1 b0) (1 + s3 b2), where sk = a0^2 + ... of k squares
  double a0 = 0.5, s1 = 0.25, s3 = 0.25 + 0.64 + 1.21;
  double first = 1 + s1 * 0.3, second = 1 + s3 * 0.7;
  CHECK_CLOSE(da[0], 2 * a0 * (1 + 0.3 * second + 0.7 * first), 1e-14);
  CHECK_CLOSE(da[1], 1.6 * (1 + 0.7 * first), 1e-14);
  CHECK_CLOSE(da[2], 2.2 * (1 + 0.7 * first), 1e-14);
  CHECK_CLOSE(db[0], s1 * second, 1e-14);
  CHECK_CLOSE(db[1], 0, 0);
  CHECK_CLOSE(db[2], s3 * first, 1e-14);
  CHECK_CLOSE(dc[0], first * second, 1e-14);
  CHECK_CLOSE(dc[1], 0, 0);
  return check_status();
}
