//===- variable-globals.c - numbers in global variables -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number that is stored in a global variable by one function and read by
// another has a derivative; what was there before has none. Constants, arrays,
// thread-local variables, pointers in globals, all by reversed control flow.
//
// FLAGS: -Rpass-missed=verso
//
// What a sanitizer reads of globals keeps structured code out.
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double scale = 3;
static double history[8];
static double table[4] = {1, 2, 4, 8};
static double large[4000];
static _Thread_local double per_thread = 2;
static double *where;

CHECK_NOINLINE static void remember(int i, double x) { history[i] = x; }
CHECK_NOINLINE static double run(double x) {
  for (int i = 0; i < 8; ++i)
    remember(i, x * i);
  scale = scale * x;
  per_thread += x * x;
  double sum = scale + per_thread;
  for (int i = 0; i < 8; ++i)
    sum += history[i] * history[7 - i] * table[i % 4];
  return sum;
}
CHECK_NOINLINE static double through(const double *x, int n) {
  double *block = where = malloc((size_t)n * sizeof *where);
  for (int i = 0; i < n; ++i)
    large[500 * i] = x[i] * x[i];
  for (int i = 0; i < n; ++i)
    block[i] = large[500 * (n - 1 - i)] * x[i];
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += where[i] * scale;
  free(where);
  return s;
}

int main(void) {
  double weight = 0;
  for (int i = 0; i < 8; ++i)
    weight += i * (7 - i) * table[i % 4];
  CHECK_EQUAL(__verso_grad(run, 2.0), 3 + 2 * 2 + 2 * 2 * weight);
  CHECK_EQUAL(scale, 6);
  // What the first request left in the globals is constant to the second.
  CHECK_EQUAL(__verso_grad(run, 2.0), 6 + 2 * 2 + 2 * 2 * weight);
  scale = 2;
  double x[] = {1, 2, 3, 4, 5}, dx[5] = {0};
  __verso_grad_void(through, verso_dup, x, dx, 5);
  // s = 2 sum of x[n-1-i]^2 x[i]
  for (int i = 0; i < 5; ++i)
    CHECK_EQUAL(dx[i], 2 * (x[4 - i] * x[4 - i] + 2 * x[i] * x[4 - i]));
  return check_status();
}
