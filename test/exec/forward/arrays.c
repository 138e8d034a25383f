//===- arrays.c - arrays in, arrays out ---------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tangents come in and go out through the shadows; what is read keeps its
// tangent, what is overwritten gets a new one, what is set to a constant gets
// zero, what is not touched stays. The dot-product test against reverse mode.
//
//===----------------------------------------------------------------------===//

#include "forward.h"

CHECK_NOINLINE static void matvec(double *x, double *y) {
  for (int i = 0; i < 3; ++i) {
    y[i] = 0;
    for (int j = 0; j < 4; ++j)
      y[i] += sin(x[j] * (i + 1)) * x[4 + i];
  }
}
CHECK_NOINLINE static void in_place(double *x, double *y) {
  for (int i = 1; i < 7; ++i)
    x[i] = x[i - 1] * x[i] + x[i - 1];
  x[2] = x[6] * x[0];
  for (int i = 0; i < 3; ++i)
    y[i] = x[2 * i] * x[i + 1];
}
CHECK_NOINLINE static double consumed(double *x) {
  double product = 1;
  for (int i = 0; i < 6; ++i) {
    x[i] = exp(-x[i]) + x[(i + 1) % 6];
    product *= x[i];
  }
  return product;
}
CHECK_NOINLINE static void partly(double *x, double *y) {
  x[0] = 5;
  x[1] = x[2];
  y[0] = x[1] * x[0];
  y[1] = 3;
}
CHECK_NOINLINE static void accumulate(const double *x, double *y) {
  y[0] += x[0] * x[0];
  y[1] *= x[1];
}
CHECK_NOINLINE static void floats(const float *x, float *y) {
  for (int i = 0; i < 5; ++i)
    y[i] = x[i] * x[4 - i];
}
CHECK_NOINLINE static void longs(const long double *x, long double *y) {
  for (int i = 0; i < 3; ++i)
    y[i] = x[i] * x[2 - i] / 3;
}

int main(void) {
  double x[] = {1, -0.5, 0.75, 1.25, 0.3, -1.1, 0.9};
  CHECK_TRANSPOSE(matvec, 7, 3, x);
  CHECK_TRANSPOSE(in_place, 7, 3, x);
  CHECK_TRANSPOSE_SCALAR(consumed, 6, x);

  double p[] = {1, 2, 3, 4}, dp[] = {10, 20, 30, 40}, y[] = {1, 1, 1},
         dy[] = {7, 8, 9};
  __verso_jvp_void(partly, verso_dup, p, dp, verso_dup, y, dy);
  CHECK_EQUAL(dp[0], 0);
  CHECK_EQUAL(dp[1], 30);
  CHECK_EQUAL(dp[2], 30);
  CHECK_EQUAL(dp[3], 40);
  CHECK_EQUAL(dy[0], 150);
  CHECK_EQUAL(dy[1], 0);
  CHECK_EQUAL(dy[2], 9);
  CHECK_EQUAL(p[0], 5);
  CHECK_EQUAL(y[0], 15);

  double q[] = {3, 4}, dq[] = {1, 2}, z[] = {5, 6}, dz[] = {0.5, 0.25};
  __verso_jvp_void(accumulate, verso_dup, q, dq, verso_dup, z, dz);
  CHECK_EQUAL(dz[0], 0.5 + 6);
  CHECK_EQUAL(dz[1], 0.25 * 4 + 6 * 2);
  CHECK_EQUAL(dq[0], 1);
  CHECK_EQUAL(dq[1], 2);
  // Without markers pointers are dup.
  double z2[] = {5, 6}, dz2[] = {0.5, 0.25};
  __verso_jvp_void(accumulate, q, dq, z2, dz2);
  CHECK_EQUAL(dz2[1], 0.25 * 4 + 6 * 2);
  // What f writes through a const pointer is lost.
  double z3[] = {5, 6};
  __verso_jvp_void(accumulate, verso_dup, q, dq, verso_const, z3);
  CHECK_EQUAL(z3[0], 14);
  // The output alone varies.
  double z4[] = {5, 6}, dz4[] = {0.5, 0.25};
  __verso_jvp_void(accumulate, verso_const, q, verso_dup, z4, dz4);
  CHECK_EQUAL(dz4[0], 0.5);
  CHECK_EQUAL(dz4[1], 1);

  float a[] = {1, 2, 3, 4, 5}, da[] = {1, 0, 0, 0, 2}, b[5], db[5];
  __verso_jvp_void(floats, verso_dup, a, da, verso_dup, b, db);
  CHECK_EQUAL(db[0], 5 + 2);
  CHECK_EQUAL(db[4], 7);
  CHECK_EQUAL(db[1], 0);
  long double l[] = {1, 2, 3}, dl[] = {1, 1, 1}, m[3], dm[3];
  __verso_jvp_void(longs, verso_dup, l, dl, verso_dup, m, dm);
  CHECK(fabsl(dm[0] - 4 / 3.0L) < 1e-18L);
  CHECK(fabsl(dm[1] - 4 / 3.0L) < 1e-18L);
  return check_status();
}
