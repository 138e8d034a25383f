//===- copied-by-bytes.c - loops that copy bytes --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers, and structures with pointers, that a loop copies byte by byte: of
// variable length, of none, within one array, and behind a number that is
// overwritten.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

static void copy_bytes(void *to, const void *from, int n) {
  for (int i = 0; i < n; ++i)
    ((char *)to)[i] = ((const char *)from)[i];
}

CHECK_NOINLINE static double numbers(const double *x, int n) {
  double copy[8] = {1, 1, 1, 1, 1, 1, 1, 1}, product = 1;
  copy_bytes(copy, x, n * (int)sizeof *x);
  for (int i = 0; i < 8; ++i)
    product *= copy[i];
  return product;
}
typedef struct {
  const double *values;
  double scale;
  float gain;
  int count;
} Model;
CHECK_NOINLINE static double model(const Model *m, int bytes) {
  Model copy = {0};
  copy_bytes(&copy, m, bytes);
  double sum = copy.gain;
  for (int i = 0; i < copy.count; ++i)
    sum += copy.scale * copy.values[i] * copy.values[i];
  return sum;
}
/// Upwards over itself: the first number spreads.
CHECK_NOINLINE static double spread(const double *x, int n) {
  double y[6] = {0}, product = 1;
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * (i + 1);
  copy_bytes(y + 1, y, (n - 1) * (int)sizeof *y);
  for (int i = 0; i < n; ++i)
    product *= y[i];
  return product;
}

static double numbers_at(double *x) { return numbers(x, 5); }

int main(void) {
  double x[] = {2, -1.5, 0.5, 3, 1.25}, dx[5] = {0};
  __verso_grad_void(numbers, verso_dup, x, dx, 5);
  CHECK_GRADIENT(numbers_at, 5, x, dx, 1e-8);
  memset(dx, 0, sizeof dx);
  CHECK_EQUAL(numbers(x, 0), 1);
  __verso_grad_void(numbers, verso_dup, x, dx, 0);
  CHECK_EQUAL(dx[0], 0);
  Model m = {x, 2, 3, 4}, dm = {dx, 0, 0, 4};
  __verso_grad_void(model, verso_dup, &m, &dm, (int)sizeof m);
  for (int i = 0; i < 5; ++i)
    CHECK_EQUAL(dx[i], i < 4 ? 4 * x[i] : 0);
  CHECK_EQUAL(dm.gain, 1);
  CHECK_EQUAL(dm.scale, 4 + 2.25 + 0.25 + 9);
  memset(dx, 0, sizeof dx);
  __verso_grad_void(spread, verso_dup, x, dx, 5);
  CHECK_EQUAL(dx[0], 5 * 16);
  for (int i = 1; i < 5; ++i)
    CHECK_EQUAL(dx[i], 0);
  return check_status();
}
