//===- handed-back.c - ends of rows from the row that was reversed before -===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a row ends is where the next one begins, so the verso has it from the
// row that it reversed before, and runs down from there. Bounds of several
// types, that end at equality or not; in steps, so that each run begins with an
// end of its own; rows that are left early; steps of two and backwards; and
// numbers that go from iteration to iteration through what is expensive to
// compute again. The judge is the tape.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "verso/verso.h"

#include <math.h>

enum { ROWS = 9, ENTRIES = 40 };

#define BOTH(NAME, T, ...)                                                     \
  VERSO_STRATEGY(structured)                                                   \
  CHECK_NOINLINE static double NAME(const double *a, const double *x,          \
                                    double *y, const T *start, int n)          \
      __VA_ARGS__ VERSO_STRATEGY(taped) CHECK_NOINLINE                         \
      static double NAME##_taped(const double *a, const double *x, double *y,  \
                                 const T *start, int n) __VA_ARGS__

#define ROWS_OF(T)                                                             \
  for (int i = 0; i < n; ++i) {                                                \
    double sum = 0;                                                            \
    for (T k = start[i]; k != start[i + 1]; ++k)                               \
      sum += a[k] * x[k % 7] * x[(k + i) % 7];                                 \
    y[i] = sum * sum;                                                          \
  }

#define TOTAL                                                                  \
  double total = 0;                                                            \
  for (int i = 0; i < n; ++i)                                                  \
    total += y[i] * y[i] * (i + 1);                                            \
  return total;

BOTH(of_int, int, { ROWS_OF(int) TOTAL })
BOTH(of_unsigned, unsigned, { ROWS_OF(unsigned) TOTAL })
BOTH(of_long, long, { ROWS_OF(long) TOTAL })
BOTH(of_short, short, { ROWS_OF(short) TOTAL })
BOTH(of_chars, unsigned char, { ROWS_OF(unsigned char) TOTAL })

// Sums of steps are read in the next one; how many there are nobody knows.
BOTH(in_steps, int, {
  double size = 1;
  int steps = 0;
  while (size > 0.1 && steps < 4) {
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int k = start[i]; k != start[i + 1]; ++k)
        sum += a[k] * x[k % 7] * y[k % ROWS];
      y[i] = sum + 0.5;
      size *= 0.9;
    }
    ++steps;
  }
  TOTAL
})

// The row is left early, or the loop over rows is.
BOTH(left, int, {
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = start[i]; k != start[i + 1]; ++k) {
      if (a[k] > 0.6)
        break;
      sum += a[k] * x[k % 7];
    }
    y[i] = sum * sum;
    if (sum > 1.5)
      break;
  }
  TOTAL
})

BOTH(by_twos, int, {
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = 2 * start[i]; k != 2 * start[i + 1]; k += 2)
      sum += a[k / 2] * x[k % 7];
    y[i] = sum * sum;
  }
  TOTAL
})

BOTH(downwards, int, {
  for (int i = n - 1; i >= 0; --i) {
    double sum = 0;
    for (int k = start[i + 1]; k != start[i]; --k)
      sum += a[k - 1] * x[k % 7];
    y[i] = sum * sum;
  }
  TOTAL
})

// The row's end is not where the next one begins.
BOTH(moved, int, {
  int from = start[0];
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = from; k != start[i + 1]; ++k)
      sum += a[k] * x[k % 7];
    y[i] = sum * sum;
    from = start[i + 1] - (i % 3 == 1 && start[i + 1] > 0);
  }
  TOTAL
})

BOTH(recurrence, int, {
  double state = x[0];
  for (int i = 0; i < n; ++i) {
    double next = exp(-state * a[i]) / (1 + state * state);
    y[i] = next * state;
    state = next;
  }
  TOTAL
})

BOTH(recurrences, int, {
  double state = x[0], total = 0;
  for (int s = 0; s < 3; ++s) {
    double before = state;
    for (int i = start[s]; i < start[s + 1]; ++i) {
      double next = sin(state + a[i]) * exp(x[s] * before);
      total += next * state;
      before = state;
      state = next;
    }
    total += state * before;
  }
  return total + n * x[0];
})

static void fill(double *a, double *x, double *y) {
  for (int i = 0; i < ENTRIES; ++i)
    a[i] = 0.1 + 0.05 * ((i * 5) % 13);
  for (int i = 0; i < 7; ++i)
    x[i] = 0.3 + 0.1 * i;
  for (int i = 0; i <= ROWS; ++i)
    y[i] = 0.2 + 0.1 * i;
}

#define RUN(NAME, T)                                                           \
  for (volatile int v = 0; v <= ROWS; ++v) {                                   \
    int n = v;                                                                 \
    double a[ENTRIES], x[7], d[2][ENTRIES + 7 + ROWS + 1] = {{0}, {0}};        \
    T start[ROWS + 1];                                                         \
    for (int i = 0; i <= ROWS; ++i)                                            \
      start[i] = (T)(i * i / 4 + i - (i > 5) * 2);                             \
    for (int k = 0; k < 2; ++k) {                                              \
      double y[ROWS + 1];                                                      \
      fill(a, x, y);                                                           \
      double *da = d[k], *dx = d[k] + ENTRIES, *dy = dx + 7;                   \
      if (k)                                                                   \
        __verso_grad((void *)NAME##_taped, verso_dup, a, da, verso_dup, x, dx, \
                     verso_dup, y, dy, verso_const, start, verso_const, n);    \
      else                                                                     \
        __verso_grad((void *)NAME, verso_dup, a, da, verso_dup, x, dx,         \
                     verso_dup, y, dy, verso_const, start, verso_const, n);    \
    }                                                                          \
    for (int i = 0; i < ENTRIES + 7 + ROWS + 1; ++i)                           \
      CHECK_CLOSE(d[0][i], d[1][i], 1e-12);                                    \
  }

int main(void) {
  RUN(of_int, int)
  RUN(of_unsigned, unsigned)
  RUN(of_long, long)
  RUN(of_short, short)
  RUN(of_chars, unsigned char)
  RUN(in_steps, int)
  RUN(left, int)
  RUN(by_twos, int)
  RUN(downwards, int)
  RUN(moved, int)
  RUN(recurrence, int)
  RUN(recurrences, int)
  return check_status();
}
