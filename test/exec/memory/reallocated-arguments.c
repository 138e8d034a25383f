//===- reallocated-arguments.c - realloc of what the request was given ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// realloc moves memory that has a shadow and that nobody has read before: an
// array, and the array of a vector that grows in the function.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

typedef struct {
  double *data;
  int count, capacity;
} Vector;

CHECK_NOINLINE static void push(Vector *v, double x) {
  if (v->count == v->capacity) {
    v->capacity *= 2;
    v->data = realloc(v->data, (size_t)v->capacity * sizeof *v->data);
  }
  v->data[v->count++] = x;
}

static double grow(Vector *v) {
  push(v, v->data[0] * v->data[1]);
  push(v, 2);
  double sum = 0;
  for (int i = 0; i < v->count; ++i)
    sum += v->data[i] * v->data[i] * (i + 1);
  return sum;
}

CHECK_NOINLINE static double move(double *x, int to) {
  double *y = realloc(x, (size_t)to * sizeof *x), sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += y[i] * y[i];
  free(y);
  return sum;
}

int main(void) {
  double start[4] = {1.5, 2.5, 3.5, 4.5}, d[4] = {0};
  Vector v = {malloc(sizeof start), 4, 4}, dv = {d, 0, 0};
  memcpy(v.data, start, sizeof start);
  __verso_grad_void((void *)grow, verso_dup, &v, &dv);
  double product = start[0] * start[1];
  for (int i = 0; i < 4; ++i)
    CHECK_CLOSE(d[i],
                2 * start[i] * (i + 1) +
                    (i < 2 ? 5 * 2 * product * start[1 - i] : 0),
                1e-12);
  free(v.data);

  const int sizes[] = {4, 8, 1 << 20};
  for (int k = 0; k < 3; ++k) {
    double *x = malloc(sizeof start), dx[4] = {10, 20, 30, 40};
    memcpy(x, start, sizeof start);
    __verso_grad_void((void *)move, verso_dup, x, dx, sizes[k]);
    for (int i = 0; i < 4; ++i)
      CHECK_EQUAL(dx[i], 10 * (i + 1) + 2 * start[i]);
  }
  return check_status();
}
