//===- aliasing.c - arguments that overlap ------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same array as two arguments with the same shadow; ranges that overlap;
// an argument that is constant and the same memory varying.
//
//===----------------------------------------------------------------------===//

#include "forward.h"

CHECK_NOINLINE static void multiply(double *a, double *b, double *c, int n) {
  for (int i = 0; i < n; ++i)
    c[i] = a[i] * b[i];
}
CHECK_NOINLINE static void smooth(const double *in, double *out, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = 0.5 * (in[i] + in[i + 1]);
}
static void all_same(double *x, double *y) {
  multiply(x, x, x, 4);
  multiply(x, x + 1, y, 3);
  smooth(y, y + 1, 2);
}

int main(void) {
  double a[] = {1, 2, 3}, da[] = {1, 1, 0};
  __verso_jvp_void(multiply, verso_dup, a, da, verso_dup, a, da, verso_dup, a,
                   da, verso_const, 3);
  CHECK_EQUAL(da[0], 2);
  CHECK_EQUAL(da[1], 4);
  CHECK_EQUAL(da[2], 0);
  double b[] = {1, 2, 4, 8}, db[] = {1, 2, 0, 4};
  __verso_jvp_void(smooth, verso_dup, b, db, verso_dup, b + 1, db + 1, 3);
  double x[] = {1, 2, 4, 8}, dx[] = {1, 2, 0, 4};
  for (int i = 0; i < 3; ++i) {
    x[i + 1] = 0.5 * (x[i] + x[i + 1]);
    dx[i + 1] = 0.5 * (dx[i] + dx[i + 1]);
  }
  for (int i = 0; i < 4; ++i) {
    CHECK_EQUAL(b[i], x[i]);
    CHECK_EQUAL(db[i], dx[i]);
  }
  double v[] = {1.5, 0.5, -2, 3};
  CHECK_TRANSPOSE(all_same, 4, 4, v);
  return check_status();
}
