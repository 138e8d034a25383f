//===- fresh-callees.c - what functions find that a request calls ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory without a shadow has no tangents until the request writes there: in a
// function that is handed on what the request was given, too, unless its caller
// has written something, before it or in an earlier round, or the function
// itself in an activation around it.
//
//===----------------------------------------------------------------------===//

#include "forward.h"

enum { N = 4 };

CHECK_NOINLINE static double reads(const double *x, const double *c) {
  double s = 0;
  for (int i = 0; i < N; ++i)
    s += x[i] * c[i];
  return s;
}
CHECK_NOINLINE static void writes(const double *x, double *c) {
  for (int i = 0; i < N; ++i)
    c[i] = x[i] * c[i];
}
CHECK_NOINLINE static double hands_on(const double *x, double *c) {
  return reads(x, c);
}
CHECK_NOINLINE static double writes_before(const double *x, double *c) {
  c[1] = x[0] * x[2];
  return reads(x, c);
}
CHECK_NOINLINE static double reads_and_writes(const double *x, double *c) {
  double s = reads(x, c);
  writes(x, c);
  return s;
}
CHECK_NOINLINE static double goes_round(const double *x, double *c, int n) {
  double s = 0;
  for (int k = 0; k < n; ++k)
    s += reads_and_writes(x, c);
  return s;
}
CHECK_NOINLINE static double recurs(const double *x, double *c, int n) {
  double s = x[0] * c[0];
  if (n) {
    c[0] = s;
    s += recurs(x, c, n - 1);
  }
  return s;
}
CHECK_NOINLINE static double local(const double *x, double *c) {
  double t[N];
  for (int i = 0; i < N; ++i)
    t[i] = x[i] * c[i];
  return reads(t, c) + t[0];
}

int main(void) {
  const double x[N] = {0.5, -1.25, 2, 0.75}, v[N] = {1, 0.5, -2, 3};
  double c[N];
#define AGAIN memcpy(c, (const double[N]){3, -1, 0.5, 2}, sizeof c)
  AGAIN;
  CHECK_CLOSE(__verso_jvp(hands_on, verso_dup, x, v, verso_const, c),
              3 - 0.5 - 1 + 6, 1e-14);
  CHECK_CLOSE(__verso_jvp(writes_before, verso_dup, x, v, verso_const, c),
              3 + (0.5 * x[0] * x[2] + x[1] * (x[2] - 2 * x[0])) - 1 + 6,
              1e-14);
  AGAIN;
  // x c + x (x c) + x (x x c).
  double expected = 0;
  for (int i = 0; i < N; ++i)
    expected += c[i] * v[i] * (1 + 2 * x[i] + 3 * x[i] * x[i]);
  CHECK_CLOSE(
      __verso_jvp(goes_round, verso_dup, x, v, verso_const, c, verso_const, 3),
      expected, 1e-13);
  AGAIN;
  CHECK_CLOSE(
      __verso_jvp(recurs, verso_dup, x, v, verso_const, c, verso_const, 2),
      3 * v[0] * (1 + 2 * x[0] + 3 * x[0] * x[0]), 1e-14);
  AGAIN;
  expected = 3 * v[0];
  for (int i = 0; i < N; ++i)
    expected += v[i] * c[i] * c[i];
  CHECK_CLOSE(__verso_jvp(local, verso_dup, x, v, verso_const, c), expected,
              1e-14);
  return check_status();
}
