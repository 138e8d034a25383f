//===- packed-rows.c - rows whose operands follow one another -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over neighbours leaves a packed row: the operands of an element are
// the next ones of the element before. Here rows have edges, operands that are
// elements of the same row, near and far, some that run backwards or anywhere,
// adjoints that are zero here and there, and are read by pushforward too.
//
//===----------------------------------------------------------------------===//

#include "../forward/forward.h"
#include "verso/verso.h"

enum { N = 80 };

static double sum_of_squares(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i] * (1 + 0.01 * i);
  return s;
}

// Edges keep the IDs that they had: the first and the last element are others.
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

// Elements are operands of the element after them, of that at a distance of
// less than a packed row, of as many, and of more.
CHECK_NOINLINE static void echo(double *x, int distance, int n) {
  for (int i = distance; i < n; ++i)
    x[i] = 0.5 * x[i] + 0.75 * x[i - distance];
}
static double echoes(double *x) {
  smooth(x, x, N);
  for (int distance = 1; distance < N; distance += distance < 3 ? 1 : 5)
    echo(x, distance, N);
  echo(x, 16, N);
  echo(x, 32, N);
  echo(x, N / 2, N);
  return sum_of_squares(x, N);
}

// A sum, and one with a number that does not vary.
CHECK_NOINLINE static void add(const double *x, const double *y, double *z,
                               int n) {
  for (int i = 0; i < n; ++i)
    z[i] = x[i] + 0.5 * y[i];
}
CHECK_NOINLINE static void shift(double *x, double by, int n) {
  for (int i = 0; i < n; ++i)
    x[i] = x[i] + by;
}
static double sums(double *x) {
  double y[N], z[N];
  for (int i = 0; i < N; ++i)
    y[i] = x[i] * x[N - 1 - i];
  add(x, y, z, N);
  shift(z, x[3] * x[4], N);
  add(z, y, y, N);
  shift(y, z[5], N);
  return sum_of_squares(y, N);
}

// Backwards, and anywhere, with some elements in order.
CHECK_NOINLINE static void turn(const double *x, double *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = 0.5 * x[n - 1 - i];
}
CHECK_NOINLINE static void gather(const double *x, const int *at, double *y,
                                  int n) {
  for (int i = 0; i < n; ++i)
    y[i] = 1.5 * x[at[i]];
}
static double turns(double *x) {
  double y[N], z[N];
  int at[N];
  for (int i = 0; i < N; ++i)
    at[i] = i < 20 ? i + 3 : i < 30 ? 7 * i % N : i < 60 ? i - 30 : 5;
  smooth(x, x, N);
  turn(x, y, N);
  turn(y, z, N);
  gather(z, at, y, N);
  return sum_of_squares(y, N);
}

// Nobody asks for most of what the last rows made.
static double partly(double *x) {
  double y[N], z[N];
  memcpy(y, x, sizeof y);
  smooth(x, y, N);
  memcpy(z, y, sizeof z);
  smooth(y, z, N);
  smooth(z, x, N);
  return y[7] * z[20] + sum_of_squares(z + 30, 9) + x[1] * x[0];
}

// Bytes are read as floats, in a row that nobody asks for, and as doubles: what
// the tape keeps of the latter is no adjoint.
CHECK_NOINLINE static void scale_floats(const float *x, float *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = 0.5f * x[i];
}
static double as_both(double *x) {
  float f[2 * N], g[2 * N];
  double y[N];
  memcpy(f, x, sizeof f);
  scale_floats(f, g, 2 * N);
  memcpy(y, f, sizeof y);
  return sum_of_squares(y, N) + (g[1] == 1e30f);
}

#define CHECK_ALL_OF(f)                                                        \
  do {                                                                         \
    double at[N], d[N] = {0};                                                  \
    memcpy(at, x, sizeof at);                                                  \
    __verso_grad_void((void *)f, verso_dup, at, d);                            \
    memcpy(at, x, sizeof at);                                                  \
    CHECK_GRADIENT(f, N, at, d, 1e-6);                                         \
    CHECK_TRANSPOSE_SCALAR(f, N, at);                                          \
  } while (0)

CHECK_NOINLINE static void smooth_floats(const float *x, float *y, int n) {
  for (int i = 1; i + 1 < n; ++i)
    y[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
}

// Of the caller's own arrays, by the same map in both directions.
static void smooth_twice(const double *x, double *y, double *z, int n) {
  smooth(x, y, n);
  smooth(y, z, n);
}
static void check_map(const double *x) {
  double y[N] = {0}, z[N] = {0}, dx[N], dy[N] = {0}, dz[N] = {0};
  for (int i = 0; i < N; ++i)
    dx[i] = i % 7;
  double jy[N] = {0}, jz[N] = {0};
  __verso_jvp_void(smooth_twice, verso_dup, x, dx, verso_dup, y, jy, verso_dup,
                   z, jz, verso_const, (int)N);
  double v[N];
  memcpy(v, dx, sizeof v);
  verso_tape *t =
      __verso_linearize(smooth_twice, verso_dup, x, dx, verso_dup, y, dy,
                        verso_dup, z, dz, verso_const, (int)N);
  for (int i = 0; i < N; ++i)
    dy[i] = dz[i] = 0;
  verso_pushforward(t, NULL, NULL);
  for (int i = 0; i < N; ++i) {
    CHECK_EQUAL(dz[i], jz[i]);
    CHECK_EQUAL(dy[i], jy[i]);
  }
  double pushed = 0, pulled = 0;
  for (int i = 0; i < N; ++i) {
    pushed += dz[i] * (i % 5);
    dx[i] = dy[i] = 0;
    dz[i] = i % 5;
  }
  verso_pullback(t, NULL, NULL);
  for (int i = 0; i < N; ++i)
    pulled += dx[i] * v[i];
  CHECK_CLOSE(pulled, pushed, 1e-12);
  verso_tape_free(t);
}

int main(void) {
  double x[N];
  for (int i = 0; i < N; ++i)
    x[i] = 0.1 * (i * 37 % 19 - 9) + 0.03;
  for (int time = 0; time < 2; ++time) {
    CHECK_ALL_OF(steps);
    CHECK_ALL_OF(echoes);
    CHECK_ALL_OF(sums);
    CHECK_ALL_OF(turns);
    CHECK_ALL_OF(partly);
    CHECK_ALL_OF(as_both);
    check_map(x);
  }

  float f[N], df[N] = {0}, g[N] = {0}, dg[N];
  for (int i = 0; i < N; ++i)
    f[i] = (float)i, dg[i] = (float)(i % 3);
  __verso_vjp_void((void *)smooth_floats, verso_dup, f, df, verso_dup, g, dg,
                   verso_const, (int)N);
  for (int i = 2; i + 2 < N; ++i)
    CHECK_EQUAL(df[i],
                0.25f * ((i + 1) % 3) + 0.5f * (i % 3) + 0.25f * ((i + 2) % 3));
  return check_status();
}
