//===- captured-pointers.c - arguments kept in structs --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointers to duplicated arrays are stored into a local struct, an allocated
// one and a local array, and read back from there before use, also in another
// function.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct view {
  const double *data;
  int size;
};

CHECK_NOINLINE static double sum_of(const struct view *v) {
  double sum = 0;
  for (int i = 0; i < v->size; ++i)
    sum += v->data[i] * v->data[i];
  return sum;
}
CHECK_NOINLINE static double in_local(const double *x, int n) {
  struct view v = {x, n};
  return sum_of(&v);
}
CHECK_NOINLINE static double in_heap(const double *x, int n) {
  struct view *halves = malloc(2 * sizeof *halves);
  halves[0] = (struct view){x, n / 2};
  halves[1] = (struct view){x + n / 2, n - n / 2};
  double result = sum_of(&halves[0]) * sum_of(&halves[1]);
  free(halves);
  return result;
}
CHECK_NOINLINE static double in_array(double *x, double *y, int n, int which) {
  double *both[2] = {x, y}, sum = 0;
  for (int i = 0; i < n; ++i) {
    double *p = both[(i + which) % 2];
    p[i] = p[i] * 2;
    sum += p[i] * (i + 1);
  }
  return sum;
}
static double in_heap_5(double *x) { return in_heap(x, 5); }

int main(void) {
  double x[] = {1, 2, 3, 4, 5}, dx[5] = {0};
  __verso_grad_void(in_local, verso_dup, x, dx, 5);
  for (int i = 0; i < 5; ++i)
    CHECK_EQUAL(dx[i], 2 * x[i]);
  double dh[5] = {0};
  __verso_grad_void(in_heap, verso_dup, x, dh, 5);
  CHECK_GRADIENT(in_heap_5, 5, x, dh, 1e-9);
  double y[] = {5, 4, 3, 2, 1}, da[5] = {0}, db[5] = {0};
  __verso_grad_void(in_array, verso_dup, x, da, verso_dup, y, db, 5, 1);
  for (int i = 0; i < 5; ++i) {
    CHECK_EQUAL(da[i], i % 2 ? 2 * (i + 1) : 0);
    CHECK_EQUAL(db[i], i % 2 ? 0 : 2 * (i + 1));
  }
  return check_status();
}
