//===- rows-that-throw.cpp - exceptions that leave or pass a row ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the tape these loops write rows. An exception leaves them, from the
// function itself or from one that it calls, and is caught outside or within.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { N = 8 };

CHECK_NOINLINE static void grow(double *y, int i) {
  if (y[i] > 4)
    throw i;
  y[i] *= 1.5;
}
CHECK_NOINLINE static void throws_itself(double *y, double c, int n) {
  for (int i = 0; i < n; ++i) {
    y[i] = y[i] * c;
    if (__builtin_expect(y[i] > 3, 0))
      throw 1;
  }
}
CHECK_NOINLINE static void calls(double *y, double c, int n) {
  for (int i = 0; i < n; ++i) {
    y[i] = y[i] * c;
    if (__builtin_expect(y[i] > 3, 0))
      grow(y, i);
  }
}
CHECK_NOINLINE static void catches(double *y, double c, int n) {
  for (int i = 0; i < n; ++i) {
    y[i] = y[i] * c;
    if (__builtin_expect(y[i] > 3, 0)) {
      try {
        grow(y, i);
      } catch (int k) {
        y[k] = y[k] * y[0];
      }
    }
  }
}

static double all(double *x) {
  double y[N];
  for (int i = 0; i < N; ++i)
    y[i] = x[i] * x[i];
  try {
    throws_itself(y, x[0], N);
  } catch (int) {
  }
  try {
    calls(y + 1, x[1], N - 1);
  } catch (int k) {
    y[k] *= 2;
  }
  catches(y, x[2], N);
  double s = 0;
  for (int i = 0; i < N; ++i)
    s += y[i] * y[i] * (i + 1);
  return s;
}

int main() {
  double x[N] = {1.1, 1.2, 1.3, 0.5, 2.1, 0.7, 1.9, 0.3};
  for (int round = 0; round < 4; ++round) {
    double d[N] = {0};
    for (int i = 0; i < N; ++i)
      x[i] += 0.05 * round * (i % 3 - 1);
    __verso_grad_void((void *)all, verso_dup, x, d);
    CHECK_GRADIENT(all, N, x, d, 1e-7);
  }
  return check_status();
}
