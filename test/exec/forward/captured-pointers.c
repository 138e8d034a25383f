//===- captured-pointers.c - pointers that are stored and loaded again --===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A duplicated pointer goes through memory on the stack, on the heap, in a
// global, through memcpy, swaps, integers and arrays of pointers, and its
// tangents are found where it comes back.
//
//===----------------------------------------------------------------------===//

#include "forward.h"
#include <stdint.h>

static double *global;
struct view {
  double *data;
  int n;
};
CHECK_NOINLINE static double total(const struct view *v) {
  double sum = 0;
  for (int i = 0; i < v->n; ++i)
    sum += v->data[i] * v->data[i];
  return sum;
}
CHECK_NOINLINE static void through_stack(double *x, double *y) {
  struct view v = {x, 4}, copy;
  memcpy(&copy, &v, sizeof v);
  y[0] = total(&copy);
  struct view *h = malloc(2 * sizeof *h);
  h[0] = copy;
  h[0].data += 1;
  h[0].n = 3;
  h[1] = h[0];
  y[1] = total(&h[1]);
  h[1].data[0] = 7 * h[0].data[1];
  free(h);
  y[2] = x[1] * x[2];
}
CHECK_NOINLINE static void through_global(double *x, double *y) {
  global = x + 1;
  double *keep[3] = {x, y, global};
  double *swap = keep[0];
  keep[0] = keep[1];
  keep[1] = swap;
  keep[0][0] = keep[1][0] * keep[2][0];
  keep[0][1] = *global++;
  keep[0][2] = *global * 2;
}
CHECK_NOINLINE static void through_integers(double *x, double *y) {
  uintptr_t a = (uintptr_t)x, b = (uintptr_t)y;
  uintptr_t both[2] = {a + 8, b};
  double *p = (double *)both[0];
  double *q = (double *)(both[1] + 2 * sizeof(double));
  *q = p[0] * p[1];
  ((double *)b)[0] = ((double *)a)[0];
  ((double *)b)[1] = ((double *)(a & ~(uintptr_t)7))[3];
}
CHECK_NOINLINE static void out_pointer(double *x, double **where, int i) {
  *where = x + i;
}
CHECK_NOINLINE static void through_out(double *x, double *y) {
  double *p;
  for (int i = 0; i < 3; ++i) {
    out_pointer(x, &p, i);
    y[i] = p[0] * p[1];
    *p = y[i];
  }
}
CHECK_NOINLINE static double *pick(double *x, int i) {
  return i & 1 ? x : x + 1;
}
CHECK_NOINLINE static void returned(double *x, double *y) {
  for (int i = 0; i < 3; ++i)
    y[i] = *pick(x + i, i) * 2;
}

int main(void) {
  double x[] = {1, 2, -0.5, 4};
  CHECK_TRANSPOSE(through_stack, 4, 3, x);
  CHECK_TRANSPOSE(through_global, 4, 3, x);
  CHECK_TRANSPOSE(through_integers, 4, 3, x);
  CHECK_TRANSPOSE(through_out, 4, 3, x);
  CHECK_TRANSPOSE(returned, 4, 3, x);
  return check_status();
}
