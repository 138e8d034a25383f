//===- halves-of-two-arrays.c - two arrays in one granule ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last half of one array and the first of the next one lie in the same four
// bytes, and have shadows of their own, at different distances: each gets its
// derivatives, whichever of the two is moved or read first.
//
// UNCHECKED: adjoints are rounded to the cells' few bits
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <string.h>

typedef _Float16 number;

enum { N = 5 };

static double weighted(const number *x, int by) {
  double sum = 0;
  for (int i = 0; i < N; ++i)
    sum += (i + by) * (double)x[i];
  return sum;
}

CHECK_NOINLINE static double first_moved(number *x, number *y) {
  number t[N], u[N];
  memcpy(t, x, sizeof t);
  memcpy(u, y, sizeof u);
  return weighted(t, 1) + weighted(u, 7);
}
CHECK_NOINLINE static double second_moved(number *x, number *y) {
  number t[N + 1] = {0}, u[N];
  memcpy(t + 1, y, N * sizeof *t);
  memmove(u, x, sizeof u);
  return weighted(u, 1) + weighted(t + 1, 7);
}
CHECK_NOINLINE static double read(number *x, number *y) {
  number t[N];
  memcpy(t, x, sizeof t);
  return weighted(t, 1) + weighted(y, 7);
}
CHECK_NOINLINE static double overwritten(number *x, number *y) {
  number t[N];
  memcpy(t, y, sizeof t);
  memcpy(y, x, sizeof t);
  memcpy(x, t, sizeof t);
  return weighted(y, 1) + weighted(x, 7);
}

#define CHECK_BOTH(F)                                                          \
  do {                                                                         \
    _Alignas(4) number a[2 * N + 2] = {0}, d[2 * N] = {0}, e[2 * N] = {0};     \
    for (int i = 0; i < 2 * N; ++i)                                            \
      a[i + odd] = (number)(i + 1);                                            \
    __verso_grad((void *)F, verso_dup, a + odd, d, verso_dup, a + odd + N,     \
                 e + 1);                                                       \
    for (int i = 0; i < N; ++i) {                                              \
      CHECK_EQUAL((double)d[i], i + 1);                                        \
      CHECK_EQUAL((double)e[i + 1], i + 7);                                    \
    }                                                                          \
  } while (0)

int main(void) {
  for (int odd = 0; odd < 2; ++odd) {
    CHECK_BOTH(first_moved);
    CHECK_BOTH(second_moved);
    CHECK_BOTH(read);
    CHECK_BOTH(overwritten);
  }
  return check_status();
}
