//===- arrays-in-recursion.c - arrays of variable length, by activation ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive functions with local arrays of variable length: in a loop, of no
// length, passed down to be filled, and read after the calls.
//
//===----------------------------------------------------------------------===//
// STRATEGY: structured

#include "../check.h"

/// Merges sorted halves, weighted, by way of an array.
CHECK_NOINLINE static double merge(double *x, int n) {
  if (n < 2)
    return n ? x[0] * x[0] : 0;
  int half = n / 2;
  double sum = merge(x, half) + merge(x + half, n - half), sorted[n];
  for (int i = 0, j = half, k = 0; k < n; ++k)
    sorted[k] = j == n || (i < half && x[i] <= x[j]) ? x[i++] : x[j++];
  for (int k = 0; k < n; ++k) {
    x[k] = sorted[k] * (1 + 0.01 * k);
    sum += x[k] * sorted[n - 1 - k];
  }
  return sum;
}
CHECK_NOINLINE static double sorted(const double *x, int n) {
  double copy[16];
  for (int i = 0; i < n; ++i)
    copy[i] = x[i] + 1;
  return merge(copy, n);
}

/// Each activation makes an array in every iteration and has it filled below.
CHECK_NOINLINE static void fill(double *to, const double *x, int n, int depth) {
  for (int i = 0; i < n; ++i) {
    double below[i];
    for (int k = 0; k < i; ++k)
      below[k] = x[k];
    if (depth)
      fill(below, x + 1, i, depth - 1);
    to[i] = x[i];
    for (int k = 0; k < i; ++k)
      to[i] += below[k] * below[i - 1 - k] * x[i];
  }
}
CHECK_NOINLINE static double filled(const double *x, int n) {
  double to[16], sum = 0;
  fill(to, x, n, 2);
  for (int i = 0; i < n; ++i)
    sum += to[i] * to[i];
  return sum;
}

static volatile int none;
static double sorted_at(double *x) { return sorted(x, 6); }
static double filled_at(double *x) { return filled(x, 5); }

int main(void) {
  double x[] = {0.5, -0.25, 2, 0.75, -0.125, 1.5, 1, 1}, dx[8] = {0};
  __verso_grad_void(sorted, verso_dup, x, dx, 6);
  CHECK_GRADIENT(sorted_at, 6, x, dx, 1e-7);
  memset(dx, 0, sizeof dx);
  __verso_grad_void(filled, verso_dup, x, dx, 5);
  CHECK_GRADIENT(filled_at, 8, x, dx, 1e-7);
  memset(dx, 0, sizeof dx);
  __verso_grad_void(filled, verso_dup, x, dx, none);
  __verso_grad_void(sorted, verso_dup, x, dx, none);
  CHECK_EQUAL(dx[0], 0);
  return check_status();
}
