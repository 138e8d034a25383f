//===- walking-pointers.c - pointers that loops carry along ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop's pointer has a shadow if the one that it starts from has: through
// nested loops, downwards, over cells that the function has written, and where
// it changes from an array with a shadow to one without and back.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { N = 6 };

/// Row by row through one pointer: sum of x[k] * (k + 1), k = 0 ... N - 1.
CHECK_NOINLINE static double nested(const double *x, int rows, int columns) {
  const double *p = x;
  double sum = 0, weight = 1;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      sum += *p++ * weight++;
  return sum;
}

/// x[k] *= x[k + 1] from the end, read again downwards.
CHECK_NOINLINE static double inPlace(double *x, int n) {
  for (double *p = x + n - 1; p-- != x;)
    p[0] *= p[1];
  double sum = 0;
  for (const double *p = x + n; p != x;)
    sum += *--p;
  return sum;
}

/// Every other step is in an array of its own, and the pointer of the next step
/// comes from either.
CHECK_NOINLINE static double alternating(const double *x, const double *plain,
                                         int n) {
  const double *p = x, *q = plain;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += *p * *p;
    const double *next = p + 1;
    p = q;
    q = next;
  }
  return sum;
}

int main(void) {
  double x[N] = {1, 2, 3, 4, 5, 6}, dx[N] = {0};
  double plain[N] = {7, 8, 9, 10, 11, 12};
  __verso_grad_void((void *)nested, verso_dup, x, dx, verso_const, 2,
                    verso_const, 3);
  for (int i = 0; i < N; ++i)
    CHECK_EQUAL(dx[i], i + 1);

  for (int i = 0; i < N; ++i)
    dx[i] = 0;
  __verso_grad_void((void *)alternating, verso_dup, x, dx, verso_const, plain,
                    verso_const, N);
  for (int i = 0; i < N; ++i)
    CHECK_EQUAL(dx[i], i < N / 2 ? 2 * x[i] : 0);

  // Products of x[k] ... x[2], and all of them added up.
  double y[3] = {2, 3, 5}, dy[3] = {0};
  __verso_grad_void((void *)inPlace, verso_dup, y, dy, verso_const, 3);
  CHECK_EQUAL(dy[0], 15);
  CHECK_EQUAL(dy[1], 5 + 10);
  CHECK_EQUAL(dy[2], 1 + 3 + 6);
  CHECK_EQUAL(y[0], 30);
  return check_status();
}
