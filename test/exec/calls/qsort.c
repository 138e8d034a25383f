//===- qsort.c - sorting active numbers in the C library ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// qsort moves the numbers; their derivatives move with them. Structs that hold
// a key and an active value, and bsearch in the sorted array.
//
//===----------------------------------------------------------------------===//

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
  return check_status();
}
