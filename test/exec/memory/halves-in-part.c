//===- halves-in-part.c - half of a granule is overwritten
//------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A granule of four bytes holds two halves. Where a range that is cleared
// begins or ends between them, the other one keeps its derivative, also where
// nobody has read them before.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <string.h>
#include <verso/verso.h>

enum { N = 12 };

CHECK_NOINLINE static void by_loop(_Float16 *x, int from, int count) {
  for (int i = 0; i < count; ++i)
    x[from + i] = 0;
}
CHECK_NOINLINE static void by_memset(_Float16 *x, int from, int count) {
  memset(x + from, 0, count * sizeof *x);
}
CHECK_NOINLINE static double summed(_Float16 *x, int from, int count) {
  memset(x + from, 0, count * sizeof *x);
  double s = 0;
  for (int i = 0; i < N; ++i)
    s += (i + 1) * (double)x[i];
  return s;
}
CHECK_NOINLINE static double shifted(_Float16 *x, int from, int count) {
  memmove(x + 1, x + 3, 10);
  memset(x + from, 0, count * sizeof *x);
  double s = 0;
  for (int i = 0; i < N; ++i)
    s += (i + 1) * (double)x[i];
  return s;
}

#define CHECK_KEPT(F, START, EXPECTED)                                         \
  do {                                                                         \
    _Float16 x[N], d[N];                                                       \
    for (int i = 0; i < N; ++i) {                                              \
      x[i] = 1 + i;                                                            \
      d[i] = START;                                                            \
    }                                                                          \
    __verso_grad_void((void *)F, verso_dup, x, d, verso_const, from,           \
                      verso_const, count);                                     \
    for (int i = 0; i < N; ++i) {                                              \
      const int is_in = i >= from && i < from + count;                         \
      CHECK_EQUAL(d[i], EXPECTED);                                             \
    }                                                                          \
  } while (0)

/// What x[i] adds to the sum after the shift: where it was, and where it goes.
static double after_shift(int i, int from, int count) {
  double sum = 0;
  for (int at = 0; at < N; ++at) {
    const int source = at >= 1 && at < 6 ? at + 2 : at;
    if (source == i && !(at >= from && at < from + count))
      sum += at + 1;
  }
  return sum;
}

int main(void) {
  for (int from = 0; from < 4; ++from)
    for (int count = 1; count < 8; ++count) {
      CHECK_KEPT(by_loop, 1 + i, is_in ? 0 : 1 + i);
      CHECK_KEPT(by_memset, 1 + i, is_in ? 0 : 1 + i);
      CHECK_KEPT(summed, 0, is_in ? 0 : 1 + i);
      CHECK_KEPT(shifted, 0, ((void)is_in, after_shift(i, from, count)));
    }
  return check_status();
}
