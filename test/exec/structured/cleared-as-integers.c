//===- cleared-as-integers.c - numbers that a memset overwrites -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A memset of four or eight bytes is the store of an integer for LLVM. The seed
// of what it overwrites ends there, also where no number is ever read, and where
// the number came by a copy and goes on by another.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double clear(double *x, float *w) {
  double first = x[0];
  memset(x, 0, sizeof *x);
  memset(w + 1, 0, sizeof *w);
  return first * x[1];
}

/// Shifted in place, by a memmove for LLVM, before the first one is cleared.
CHECK_NOINLINE static void shift(double *y, int n) {
  for (int i = n - 1; i > 1; --i)
    y[i] = y[i - 1];
  memset(y + 1, 0, sizeof *y);
}

/// sum 3 x^2, but for x[1], of which one copy becomes 1.
CHECK_NOINLINE static double between(const double *x, int n) {
  double a[8], s = 0;
  for (int i = 0; i < n; ++i)
    a[i] = x[i];
  for (int i = 0; i < n; ++i)
    s += a[i] * a[i];
  int *words = malloc(sizeof a);
  memcpy(words, a, sizeof a);
  words[2] = 0;
  words[3] = 0x3ff00000;
  memcpy(a, words, sizeof a);
  for (int i = 0; i < n; ++i)
    s += 2 * a[i] * x[i];
  free(words);
  return s;
}

/// Copied without a type before one is cleared on either side.
CHECK_NOINLINE static void behind(double *x, double *y) {
  memcpy(y, x, 4 * sizeof *x);
  memset(x + 1, 0, sizeof *x);
  memset(y + 2, 0, sizeof *y);
}

/// The same by way of a local variable, which is cleared between.
CHECK_NOINLINE static void through(double *x, double *y) {
  double a[4];
  memcpy(a, x, sizeof a);
  memset(a + 1, 0, sizeof *a);
  memcpy(y, a, sizeof a);
  memset(a + 2, 0, sizeof *a);
  memcpy(y + 4, a, sizeof a);
}

int main(void) {
  double x[] = {3, 5}, dx[] = {7, 11};
  float w[] = {1, 2, 3}, dw[] = {1, 2, 3};
  __verso_grad_void(clear, verso_dup, x, dx, verso_dup, w, dw);
  CHECK_EQUAL(dx[0], 5);
  CHECK_EQUAL(dx[1], 11 + 3);
  CHECK_EQUAL(dw[0], 1);
  CHECK_EQUAL(dw[1], 0);
  CHECK_EQUAL(dw[2], 3);
  double y[8], dy[8] = {0};
  for (int i = 0; i < 8; ++i)
    y[i] = 1 + i;
  __verso_grad_void(between, verso_dup, y, dy, verso_const, 8);
  for (int i = 0; i < 8; ++i)
    CHECK_EQUAL(dy[i], i == 1 ? 2 * y[i] + 2 : 6 * y[i]);
  double ds[4] = {0.5, 0.625, 0.75, 0.875};
  __verso_grad_void(shift, verso_dup, y, ds, verso_const, 4);
  CHECK_EQUAL(ds[0], 0.5);
  CHECK_EQUAL(ds[1], 0.75);
  CHECK_EQUAL(ds[2], 0.875);
  CHECK_EQUAL(ds[3], 0);
  double p[4] = {1, 2, 3, 4}, dp[4] = {0, 32, 0, 0}, q[8], dq[8];
  for (int i = 0; i < 8; ++i)
    dq[i] = 1 << i;
  __verso_grad_void(behind, verso_dup, p, dp, verso_dup, q, dq);
  for (int i = 0; i < 4; ++i) {
    CHECK_EQUAL(dp[i], i == 2 ? 0 : 1 << i);
    CHECK_EQUAL(dq[i], 0);
  }
  for (int i = 0; i < 8; ++i)
    dq[i] = i < 4 ? 1 << i : 0;
  memset(dp, 0, sizeof dp);
  __verso_grad_void(through, verso_dup, p, dp, verso_dup, q, dq);
  for (int i = 0; i < 4; ++i)
    CHECK_EQUAL(dp[i], i == 1 ? 0 : 1 << i);
  for (int i = 0; i < 8; ++i)
    CHECK_EQUAL(dq[i], 0);
  return check_status();
}
