//===- halves-overwritten.c - two-byte numbers that nobody reads ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Halves in memory of the caller's that are cleared and moved in part, and that
// nobody reads: adjoints of those that are overwritten end, those of the halves
// beside them stay, on the tape.
//
// STRATEGY: taped
// UNCHECKED: adjoints are rounded to the cells' few bits
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <string.h>

typedef _Float16 number;

enum { N = 12 };

CHECK_NOINLINE static void overwritten(number *x, int to, int from, int n) {
  number t[N] = {0};
  memset(x + from, 0, n * sizeof *x);
  memcpy(x + to, x + from, n * sizeof *x);
  memcpy(x + 11, t, sizeof *x);
}

static void check_overwritten(int to, int from, int n) {
  number x[N], d[N];
  for (int i = 0; i < N; ++i)
    x[i] = d[i] = (number)(i + 1);
  __verso_vjp_void((void *)overwritten, verso_dup, x, d, to, from, n);
  for (int i = 0; i < N; ++i) {
    int is_kept = (i < from || i >= from + n) && (i < to || i >= to + n);
    CHECK_EQUAL((double)d[i], is_kept && i != 11 ? i + 1 : 0);
  }
}

/// Two halves that were written and read one by one are overwritten byte by
/// byte by two that nobody has read.
CHECK_NOINLINE static void replaced(number *x) {
  x[5] = x[4] + 0;
  for (unsigned i = 0; i < 2 * sizeof *x; ++i)
    ((char *)(x + 4))[i] = ((char *)(x + 8))[i];
}

static void check_replaced(void) {
  _Alignas(4) number x[N], d[N];
  for (int i = 0; i < N; ++i) {
    x[i] = (number)(i + 1);
    d[i] = i < 8 ? x[i] : 0;
  }
  __verso_vjp_void((void *)replaced, verso_dup, x, d);
  for (int i = 0; i < N; ++i)
    CHECK_EQUAL((double)d[i], i == 8 || i == 9            ? i - 3
                              : i < 8 && i != 4 && i != 5 ? i + 1
                                                          : 0);
}

int main(void) {
  for (int to = 0; to < 5; ++to)
    for (int from = 0; from < 5; ++from)
      for (int n = 1; n < 6; ++n)
        if (to + n <= from || from + n <= to)
          check_overwritten(to, from, n);
  check_replaced();
  return check_status();
}
