//===- qsort.c - sorting active numbers in the C library ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// qsort moves the numbers; their derivatives move with them. Structs that hold
// a key and an active value, and bsearch in the sorted array. qsort_r hands its
// comparator one pointer more, to a number that varies and decides the order.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "../check.h"

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
CHECK_NOINLINE static double weighted_order(const double *x, int n) {
  double sorted[16], sum = 0;
  for (int i = 0; i < n; ++i)
    sorted[i] = x[i] * 2;
  qsort(sorted, (size_t)n, sizeof *sorted, compare_doubles);
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * sorted[i];
  return sum;
}

struct entry {
  int key;
  double value;
};
static int compare_entries(const void *a, const void *b) {
  return ((const struct entry *)a)->key - ((const struct entry *)b)->key;
}
CHECK_NOINLINE static double lookup(const double *x, const int *keys, int n,
                                    int wanted) {
  struct entry table[16];
  for (int i = 0; i < n; ++i)
    table[i] = (struct entry){keys[i], x[i] * x[i]};
  qsort(table, (size_t)n, sizeof *table, compare_entries);
  struct entry probe = {wanted, 0};
  const struct entry *found =
      bsearch(&probe, table, (size_t)n, sizeof *table, compare_entries);
  return found ? found->value : -x[0];
}

static int compare_distances(const void *a, const void *b, void *centre) {
  double c = *(double *)centre;
  double x = fabs(((const struct entry *)a)->value - c);
  double y = fabs(((const struct entry *)b)->value - c);
  return (x > y) - (x < y);
}
CHECK_NOINLINE static double nearest(const double *x, int n) {
  struct entry table[16];
  double centre = 1.1 * x[0];
  for (int i = 0; i < n; ++i)
    table[i] = (struct entry){i, x[i]};
  qsort_r(table, (size_t)n, sizeof *table, compare_distances, &centre);
  return 100 * table[0].value + 10 * table[1].value + table[2].value * centre;
}

int main(void) {
  double x[] = {5, 1, 4, 2, 3}, dx[5] = {0};
  __verso_grad_void(weighted_order, verso_dup, x, dx, 5);
  for (int i = 0; i < 5; ++i)
    CHECK_EQUAL(dx[i], 2 * x[i]); // x[i] happens to be its own rank.
  const int keys[] = {40, 10, 30, 20, 50};
  double dy[5] = {0};
  __verso_grad_void(lookup, verso_dup, x, dy, verso_const, keys, 5, 20);
  CHECK_EQUAL(dy[3], 4);
  CHECK_EQUAL(dy[0] + dy[1] + dy[2] + dy[4], 0);
  __verso_grad_void(lookup, verso_dup, x, dy, verso_const, keys, 5, 21);
  CHECK_EQUAL(dy[0], -1);
  double dz[5] = {0}; // From 5.5 on: 5, 4, 3.
  __verso_grad_void(nearest, verso_dup, x, dz, 5);
  CHECK_CLOSE(dz[0], 100 + 1.1 * x[4], 1e-12);
  CHECK_CLOSE(dz[2], 10, 1e-12);
  CHECK_CLOSE(dz[4], 1.1 * x[0], 1e-12);
  CHECK_EQUAL(dz[1] + dz[3], 0);
  return check_status();
}
