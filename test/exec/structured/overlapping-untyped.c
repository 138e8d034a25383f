//===- overlapping-untyped.c - known and unknown bytes are moved ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of what a memmove moves by one some is known to be numbers, by way of what it
// moves itself, and at the rest the runtime looks. All adjoints are taken before
// the first is given.
//
// UNCHECKED: -verso-check does not judge untyped bytes
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { N = 200, Moved = 150 };

CHECK_NOINLINE static double up(double *x) {
  double first = x[0];
  memmove(x + 1, x, Moved * sizeof *x);
  return first * first;
}
CHECK_NOINLINE static double down(double *x) {
  double last = x[Moved];
  memmove(x, x + 1, Moved * sizeof *x);
  return last * last;
}

/// Notes of pointers that were moved last until the end.
typedef struct {
  double *p;
  char flag;
  double v;
} Record;
CHECK_NOINLINE static double turned(Record *r, int n) {
  for (int i = 0; i < n; ++i) {
    Record first;
    memcpy(&first, &r[0], sizeof first);
    memmove(&r[0], &r[1], 3 * sizeof first);
    memcpy(&r[3], &first, sizeof first);
  }
  return r[0].v * r[0].v;
}

int main(void) {
  for (volatile int n = 0; n < 9; ++n) {
    double a[4], da[4];
    Record r[4], dr[4];
    for (int k = 0; k < 4; ++k) {
      r[k] = (Record){a + k, 0, 1 + k};
      dr[k] = (Record){da + k, 0, 0};
    }
    __verso_grad_void((void *)turned, verso_dup, r, dr, verso_const, (int)n);
    for (int k = 0; k < 4; ++k) {
      CHECK(dr[k].p - da == (k + n) % 4 && r[k].p - a == (k + n) % 4);
      CHECK_EQUAL(dr[k].v, k == n % 4 ? 2.0 * (1 + k) : 0);
    }
  }
  double x[N], dx[N];
  for (int is_up = 0; is_up <= 1; ++is_up) {
    for (int k = 0; k < N; ++k)
      x[k] = dx[k] = 1 + k;
    // It would be given twice.
    dx[is_up ? 0 : Moved] = 0;
    if (is_up)
      __verso_grad_void((void *)up, verso_dup, x, dx);
    else
      __verso_grad_void((void *)down, verso_dup, x, dx);
    for (int k = 0; k < N; ++k) {
      double expected = k > Moved ? 1.0 + k
                        : is_up   ? (k < Moved ? 2.0 + k : 0)
                                  : (k > 0 ? k : 0);
      if (k == (is_up ? 0 : Moved))
        expected += 2.0 * (1 + k);
      CHECK_EQUAL(dx[k], expected);
    }
  }
  return check_status();
}
