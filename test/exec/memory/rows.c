//===- rows.c - loops whose records stand in rows -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On the tape a loop that writes one record an iteration writes a row. Here
// rows have all sorts of terms, and end where something else is written: where
// a cell is touched for the first time, where bytes turn out to be a number,
// where the tape grows, where the loop is left.
//
//===----------------------------------------------------------------------===//

#include "../forward/forward.h"
#include "verso/verso.h"

enum { N = 12 };

static double sum_of_squares(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i] * (1 + 0.1 * i);
  return s;
}

// The copy has no type: its numbers are found one by one.
static double products(double *x) {
  double *y = malloc(N * sizeof *y);
  memcpy(y, x, N * sizeof *y);
  for (int j = 0; j < N; ++j)
    for (int i = j + 1; i < N; ++i)
      y[i] += x[i] * y[j];
  double s = sum_of_squares(y, N);
  free(y);
  return s;
}

// Each store is the first touch of a cell of the caller's.
CHECK_NOINLINE static void smooth(const double *x, double *y, int n) {
  for (int i = 1; i + 1 < n; ++i)
    y[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1];
}
static double steps(double *x) {
  double y[N];
  memcpy(y, x, sizeof y);
  for (int k = 0; k < 3; ++k) {
    smooth(x, y, N);
    smooth(y, x, N);
  }
  return sum_of_squares(x, N) + sum_of_squares(y, N);
}

// The same over itself: an element refers to the one before it.
static double in_place(double *x) {
  smooth(x, x, N);
  for (int i = 1; i < N; ++i)
    x[i] = x[i - 1] * x[0] + 0.5;
  return sum_of_squares(x, N);
}

// Floats have no direct IDs, so each gets a leaf within the row.
CHECK_NOINLINE static void scale_floats(float *f, float c) {
  for (int i = 0; i < N; ++i)
    f[i] = f[i] * c;
}

// Two ways out, and a loop that is not entered.
CHECK_NOINLINE static int until(double *y, const double *x, double most,
                                int n) {
  int i = 0;
  for (; i < n; ++i) {
    if (x[i] > most)
      break;
    y[i] = x[i] * y[n];
  }
  return i;
}
static double left_early(double *x) {
  double y[N + 1];
  for (int i = 0; i <= N; ++i)
    y[i] = x[i % N];
  int k = until(y, x, 1.25, N);
  k += until(y + 1, x + 2, 1e9, 0);
  k += until(y, x, -1e9, N - 1);
  return sum_of_squares(y, N) * k;
}

// Only some iterations write; what is added does not vary.
static double sometimes(double *x) {
  double y[N];
  memcpy(y, x, sizeof y);
  for (int i = 1; i < N; ++i)
    if (x[i] > 0)
      y[i] = x[i] + x[0];
  for (int i = 1; i < N; ++i)
    if (x[i] < 0)
      y[i] += x[0] * x[1];
  for (int i = 0; i < N; ++i)
    y[i] = y[i] * x[2] * x[3];
  return sum_of_squares(y, N);
}

#define CHECK_ALL_OF(f)                                                        \
  do {                                                                         \
    double at[N], d[N] = {0};                                                  \
    memcpy(at, x, sizeof at);                                                  \
    __verso_grad_void((void *)f, verso_dup, at, d);                            \
    memcpy(at, x, sizeof at);                                                  \
    CHECK_GRADIENT(f, N, at, d, 1e-7);                                         \
    CHECK_TRANSPOSE_SCALAR(f, N, at);                                          \
  } while (0)

// More numbers than a thread gets IDs for at once: the tape grows in the row.
enum { Many = 3000000 };
VERSO_STRATEGY(taped) static double long_row(double c, double *y) {
  double last = 1;
  for (int i = 1; i < Many; ++i)
    y[i] = y[i - 1] * c;
  for (int i = 0; i < Many; ++i)
    last = y[i];
  return last;
}

int main(void) {
  double x[N] = {0.5,  -1,    1.5,  0.25,  0.75,  -0.625,
                 0.25, 0.875, -0.5, 1.125, 0.375, 0.125};
  CHECK_ALL_OF(products);
  CHECK_ALL_OF(steps);
  CHECK_ALL_OF(in_place);
  CHECK_ALL_OF(left_early);
  CHECK_ALL_OF(sometimes);

  float f[N], df[N];
  for (int i = 0; i < N; ++i)
    f[i] = (float)i, df[i] = 1;
  __verso_vjp_void((void *)scale_floats, verso_dup, f, df, verso_const, 3.0f);
  for (int i = 0; i < N; ++i)
    CHECK_EQUAL(df[i], 3);

  double *y = malloc(Many * sizeof *y), *dy = calloc(Many, sizeof *dy);
  y[0] = 2;
  double c = 1 - 1e-7;
  double dc = __verso_grad((void *)long_row, c, verso_dup, y, dy);
  CHECK_CLOSE(dc, 2 * (Many - 1) * pow(c, Many - 2), 1e-7);
  CHECK_CLOSE(dy[0], pow(c, Many - 1), 1e-7);
  free(y);
  free(dy);
  return check_status();
}
