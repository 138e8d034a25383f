//===- array.c - a watched array ------------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A range is watched, also one of which the function reads only some cells, and
// one that it overwrites. Cells that are not reached have a zero adjoint; the
// next request without a watch finds none.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

void verso_watch(void *, size_t);
void *verso_adjoint_of(const void *);

struct holder {
  double *data;
  int size;
};

CHECK_NOINLINE static double sum_of_even(const struct holder *h, double x) {
  double sum = 0;
  for (int i = 0; i < h->size; i += 2)
    sum += h->data[i] * h->data[i] * x;
  return sum;
}
CHECK_NOINLINE static double in_place(struct holder *h) {
  for (int i = 1; i < h->size; ++i)
    h->data[i] = h->data[i] * h->data[i - 1];
  return h->data[h->size - 1];
}

int main(void) {
  double data[] = {1, 2, 3, 4, 5};
  struct holder h = {data, 5};
  verso_watch(data, sizeof data);
  CHECK_EQUAL(__verso_grad(sum_of_even, verso_const, &h, 2.0), 1 + 9 + 25);
  const double *adjoint = verso_adjoint_of(data);
  for (int i = 0; i < 5; ++i)
    CHECK_EQUAL(adjoint[i], i % 2 ? 0 : 4 * data[i]);
  CHECK_EQUAL(*(const double *)verso_adjoint_of(&data[2]), 12);

  double values[] = {2, 3, 5, 7};
  struct holder v = {values, 4};
  verso_watch(values, sizeof values);
  __verso_grad_void(in_place, verso_const, &v);
  CHECK_EQUAL(values[3], 210);
  adjoint = verso_adjoint_of(values);
  CHECK_EQUAL(adjoint[0], 105);
  CHECK_EQUAL(adjoint[1], 70);
  CHECK_EQUAL(adjoint[2], 42);
  CHECK_EQUAL(adjoint[3], 30);
  return check_status();
}
