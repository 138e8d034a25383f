//===- bounds-from-memory.c - rows that start where the last one ended ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The optimiser reads a row's start as the end of the row before, and keeps it
// from iteration to iteration. It is read again in the verso, unless the bounds
// change meanwhile. Rows upwards, downwards, of every other bound, and bounds
// that are moved once they were read. The judge is the tape.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "verso/verso.h"

enum { ROWS = 9, ENTRIES = 40 };

#define BOTH(NAME, ...)                                                        \
  VERSO_STRATEGY(structured)                                                   \
  CHECK_NOINLINE static double NAME(                                           \
      const double *restrict a, const double *restrict x, double *restrict y,  \
      int *restrict start, int n) __VA_ARGS__ VERSO_STRATEGY(taped)            \
  CHECK_NOINLINE static double NAME##_taped(                                   \
      const double *restrict a, const double *restrict x, double *restrict y,  \
      int *restrict start, int n) __VA_ARGS__

#define ROW(FIRST, LAST)                                                       \
  double sum = 0;                                                              \
  for (int k = (FIRST); k < (LAST); ++k)                                       \
    sum += a[k] * x[k % 7] * x[k % 7];

#define TOTAL                                                                  \
  double total = 0;                                                            \
  for (int i = 0; i < n; ++i)                                                  \
    total += y[i] * y[i] * (i + 1);                                            \
  return total;

BOTH(upwards, {
  for (int i = 0; i < n; ++i) {
    ROW(start[i], start[i + 1])
    y[i] = sum * sum;
  }
  TOTAL
})

BOTH(downwards, {
  for (int i = n - 1; i >= 0; --i) {
    ROW(start[i], start[i + 1])
    y[i] = sum * sum;
  }
  TOTAL
})

BOTH(every_other, {
  for (int i = 0; i + 1 < n; i += 2) {
    ROW(start[i], start[i + 2])
    y[i] = sum * sum;
  }
  TOTAL
})

BOTH(moved, {
  for (int i = 0; i < n; ++i) {
    ROW(start[i], start[i + 1])
    y[i] = sum * sum;
    start[i] = start[i + 1] / 2;
  }
  TOTAL
})

static void fill(double *a, double *x, int *start) {
  for (int i = 0; i < ENTRIES; ++i)
    a[i] = 0.1 + 0.05 * ((i * 5) % 13);
  for (int i = 0; i < 7; ++i)
    x[i] = 0.3 + 0.1 * i;
  for (int i = 0; i <= ROWS; ++i)
    start[i] = i * i / 4 + i;
}

#define RUN(NAME)                                                              \
  for (volatile int v = 0; v <= ROWS; ++v) {                                   \
    int n = v;                                                                 \
    double a[ENTRIES], x[7], d[2][ENTRIES + 7] = {{0}, {0}};                   \
    int start[2][ROWS + 1];                                                    \
    for (int k = 0; k < 2; ++k) {                                              \
      double y[ROWS + 1] = {0}, dy[ROWS + 1] = {0};                            \
      fill(a, x, start[k]);                                                    \
      double *da = d[k], *dx = d[k] + ENTRIES;                                 \
      if (k)                                                                   \
        __verso_grad((void *)NAME##_taped, verso_dup, a, da, verso_dup, x, dx, \
                     verso_dup, y, dy, verso_const, start[k], verso_const, n); \
      else                                                                     \
        __verso_grad((void *)NAME, verso_dup, a, da, verso_dup, x, dx,         \
                     verso_dup, y, dy, verso_const, start[k], verso_const, n); \
    }                                                                          \
    for (int i = 0; i < ENTRIES + 7; ++i)                                      \
      CHECK_CLOSE(d[0][i], d[1][i], 1e-12);                                    \
    for (int i = 0; i <= ROWS; ++i)                                            \
      CHECK_EQUAL(start[0][i], start[1][i]);                                   \
  }

int main(void) {
  RUN(upwards)
  RUN(downwards)
  RUN(every_other)
  RUN(moved)
  return check_status();
}
