//===- sorts-and-searches.c - the C library's, with comparisons of ours ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// qsort_r hands an argument to the comparison, which here computes with active
// numbers; lfind and lsearch look through an array, lsearch adds to it; memccpy
// copies up to a byte.
//
//===----------------------------------------------------------------------===//

// FLAGS: -D_GNU_SOURCE

#include "../check.h"
#include <search.h>

/// By the distance from a point, which the argument gives.
static int nearer(const void *a, const void *b, void *argument) {
  const double *x = a, *y = b, *point = argument;
  double dx = fabs(*x - *point), dy = fabs(*y - *point);
  return (dx > dy) - (dx < dy);
}
CHECK_NOINLINE static double by_distance(const double *x, int n,
                                         const double *point) {
  double sorted[16], sum = 0;
  for (int i = 0; i < n; ++i)
    sorted[i] = x[i] * x[i];
  double p = *point;
  qsort_r(sorted, (size_t)n, sizeof *sorted, nearer, &p);
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * sorted[i] * p;
  return sum;
}

struct row {
  int key;
  double value;
};
static int same_key(const void *a, const void *b) {
  return ((const struct row *)a)->key - ((const struct row *)b)->key;
}
CHECK_NOINLINE static double cached(const double *x, const int *keys, int n,
                                    int wanted) {
  struct row table[16];
  size_t count = 0;
  for (int i = 0; i < n; ++i) {
    struct row fresh = {keys[i], x[i] * x[i]};
    struct row *at = lsearch(&fresh, table, &count, sizeof *table, same_key);
    at->value *= 3; // Once more for each time that the key comes again.
  }
  struct row probe = {wanted, 0};
  const struct row *found =
      lfind(&probe, table, &count, sizeof *table, same_key);
  return found ? found->value : -(double)count * x[0];
}

struct line {
  double number;
  char text[8];
};
CHECK_NOINLINE static double copied(const double *x) {
  struct line from = {x[0] * x[1], "ab;cd"}, to = {x[0], "-------"};
  char *after = memccpy(&to, &from, ';', sizeof from);
  if (!after || after != to.text + 3 || to.text[3] != '-')
    return 0;
  return to.number * x[1];
}

int main(void) {
  double x[] = {1, 2, 3, 4}, dx[4] = {0}, point = 8, dpoint = 0;
  // Squares 1, 4, 9, 16 by their distance from 8: 9, 4, 1, 16.
  __verso_grad_void(by_distance, verso_dup, x, dx, 4, verso_dup, &point,
                    &dpoint);
  CHECK_EQUAL(dx[0], 3 * 2 * 1 * 8);
  CHECK_EQUAL(dx[1], 2 * 2 * 2 * 8);
  CHECK_EQUAL(dx[2], 1 * 2 * 3 * 8);
  CHECK_EQUAL(dx[3], 4 * 2 * 4 * 8);
  CHECK_EQUAL(dpoint, 9 + 2 * 4 + 3 * 1 + 4 * 16);

  const int keys[] = {5, 7, 5, 9};
  double dy[4] = {0};
  __verso_grad_void(cached, verso_dup, x, dy, verso_const, keys, 4, 5);
  CHECK_EQUAL(dy[0], 2 * 9);
  CHECK_EQUAL(dy[1] + dy[2] + dy[3], 0);
  __verso_grad_void(cached, verso_dup, x, dy, verso_const, keys, 4, 6);
  CHECK_EQUAL(dy[0], 2 * 9 - 3);

  double dz[4] = {0};
  __verso_grad_void(copied, verso_dup, x, dz);
  CHECK_EQUAL(dz[0], 4);
  CHECK_EQUAL(dz[1], 4);
  return check_status();
}
