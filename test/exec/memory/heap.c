//===- heap.c - malloc, calloc, realloc, free -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers in allocated memory: zeroed by calloc, moved by a growing realloc,
// freed before the sweep, and freed in another function than the one that
// allocated.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct buffer {
  double *data;
  int size, capacity;
};

CHECK_NOINLINE static void push(struct buffer *b, double x) {
  if (b->size == b->capacity) {
    b->capacity = b->capacity ? 2 * b->capacity : 1;
    b->data = realloc(b->data, (size_t)b->capacity * sizeof *b->data);
  }
  b->data[b->size++] = x;
}
CHECK_NOINLINE static double growing(const double *x, int n) {
  struct buffer b = {NULL, 0, 0};
  for (int i = 0; i < n; ++i) {
    push(&b, x[i]);
    push(&b, x[i] * x[i]);
  }
  double sum = 0;
  for (int i = 0; i < b.size; ++i)
    sum += (i + 1) * b.data[i];
  free(b.data);
  return sum;
}
CHECK_NOINLINE static double histogram(const double *x, const int *bin, int n) {
  double *sums = calloc(8, sizeof *sums), product = 1;
  for (int i = 0; i < n; ++i)
    sums[bin[i]] += x[i];
  for (int i = 0; i < 8; ++i)
    product *= 1 + sums[i];
  free(sums);
  return product;
}
static double growing_20(double *x) { return growing(x, 20); }
static const int bins[] = {0, 3, 3, 7, 0, 0};
static double histogram_6(double *x) { return histogram(x, bins, 6); }

int main(void) {
  double x[20], dx[20] = {0};
  for (int i = 0; i < 20; ++i)
    x[i] = 0.1 * i - 0.7;
  __verso_grad_void(growing, verso_dup, x, dx, 20);
  CHECK_GRADIENT(growing_20, 20, x, dx, 1e-9);
  double dh[6] = {0};
  __verso_grad_void(histogram, verso_dup, x, dh, verso_const, bins, 6);
  CHECK_GRADIENT(histogram_6, 6, x, dh, 1e-9);
  return check_status();
}
