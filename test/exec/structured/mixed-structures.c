//===- mixed-structures.c - copies of more than numbers -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structures of numbers, integers and pointers that are assigned, moved within
// an array, and grown with realloc.
//
// FLAGS: -Rpass-missed=verso
//===----------------------------------------------------------------------===//

#include "../check.h"

struct item {
  int key;
  float half;
  double value;
  double *cell;
  long count;
};

/// memmove and structure assignment: an insertion sort by key.
CHECK_NOINLINE static double sorted(double *x, int n) {
  struct item *items = malloc((size_t)n * sizeof *items);
  double *cells = malloc((size_t)n * sizeof *cells);
  for (int i = 0; i < n; ++i) {
    struct item new = {(i * 7) % n, (float)x[i], x[i] * x[i], &cells[i], i};
    cells[i] = 2 * x[i];
    int k = 0;
    while (k < i && items[k].key < new.key)
      ++k;
    memmove(&items[k + 1], &items[k], (size_t)(i - k) * sizeof *items);
    items[k] = new;
  }
  double s = 0;
  for (int i = 0; i < n; ++i) {
    struct item copy = items[n - 1 - i];
    *copy.cell += (double)copy.half;
    s += (i + 1) * copy.value * *items[i].cell + (double)copy.count;
  }
  free(cells);
  free(items);
  return s;
}
CHECK_NOINLINE static double grown(double *x, int n) {
  struct item *items = NULL;
  int capacity = 0, size = 0;
  for (int i = 0; i < n; ++i) {
    if (size == capacity) {
      capacity = capacity ? 2 * capacity : 1;
      items = realloc(items, (size_t)capacity * sizeof *items);
    }
    struct item new = {i, 0, x[i] * x[i], &x[i], i};
    items[size++] = new;
  }
  double s = 0;
  for (int i = 0; i < size; ++i)
    s = 0.5 * s * items[i].value + *items[size - 1 - i].cell * items[i].key;
  free(items);
  return s;
}
static double sorted_5(double *x) { return sorted(x, 5); }
static double grown_5(double *x) { return grown(x, 5); }

int main(void) {
  double x[] = {1, 0.5, -2, 3, 0.25}, a[5] = {0}, b[5] = {0};
  __verso_grad_void(sorted, verso_dup, x, a, 5);
  // A float of x[i] takes the step of the differences: compare exactly.
  double e[5];
  for (int k = 0; k < 5; ++k) {
    double y[5], h = 0x1p-8;
    memcpy(y, x, sizeof y);
    y[k] = x[k] + h;
    double up = sorted(y, 5);
    y[k] = x[k] - h;
    double down = sorted(y, 5);
    y[k] = x[k] + 2 * h;
    double up2 = sorted(y, 5);
    y[k] = x[k] - 2 * h;
    double down2 = sorted(y, 5);
    e[k] = (8 * (up - down) - (up2 - down2)) / (12 * h);
  }
  for (int k = 0; k < 5; ++k)
    CHECK_CLOSE(a[k], e[k], 1e-9);
  __verso_grad_void(grown, verso_dup, x, b, 5);
  CHECK_GRADIENT(grown_5, 5, x, b, 1e-8);
  return check_status();
}
