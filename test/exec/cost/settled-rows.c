//===- settled-rows.c - a row goes on where loads settle raw leaves -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes that were copied without a type are told to be doubles one by one, as
// they are read. On the tape nothing is written for that, so a loop that reads
// such a copy has one row; before, it had one for each number. The copy, the
// numbers it was made of and further copies may be read in any order, and among
// the numbers may be some that are no two raw leaves in a row: a constant, one
// that was computed, two floats.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdlib.h>
#include <string.h>

enum { N = 1000, Far = 9 };

size_t verso_tape_bytes(void);
void __verso_vjp_void(void *, ...);
double __verso_grad_double(void *, ...);
double __verso_jvp_double(void *, ...);

static void smooth(double *restrict y, const double *restrict x) {
  double *copy = malloc(N * sizeof *copy);
  memcpy(copy, x, N * sizeof *copy);
  for (int i = Far; i + Far < N; ++i)
    y[i] = 0.25 * copy[i - Far] + 0.5 * copy[i] + 0.125 * copy[i + Far];
  free(copy);
}

static void smoothly(void) {
  static double x[N], dx[N], y[N], dy[N];
  double expected[N] = {0};
  for (int i = 0; i < N; ++i) {
    x[i] = 0.5 + i % 11;
    dy[i] = 1.5 - i % 5;
    dx[i] = 0;
  }
  for (int i = Far; i + Far < N; ++i) {
    expected[i - Far] += 0.25 * dy[i];
    expected[i] += 0.5 * dy[i];
    expected[i + Far] += 0.125 * dy[i];
  }
  __verso_vjp_void((void *)smooth, verso_dup, y, dy, verso_dup, x, dx);
  CHECK(verso_tape_bytes() <= 20 * N);
  for (int i = 0; i < N; ++i)
    CHECK_CLOSE(dx[i], expected[i], 1e-12);
}

// Every fifth number of the copy is another: a constant, 3 times x, one that was
// settled through a further copy, one that was settled where it came from.
static double mixed(const double *x, double *copy, double *other, int n) {
  memcpy(copy, x, n * sizeof *copy);
  memcpy(other, copy, n * sizeof *copy);
  double sum = 0;
  for (int i = 0; i + 4 < n; i += 5) {
    copy[i] = 2;
    copy[i + 1] = 3 * copy[i + 1];
    sum += other[i + 2] + 2 * x[i + 3];
  }
  for (int i = 0; i + 1 < n; ++i)
    other[i] = copy[i] * copy[i + 1] + 0.5 * copy[i + 1];
  for (int i = 0; i + 1 < n; ++i)
    sum += other[i] * other[i] * 0.01;
  return sum;
}

static double mixed_into(const double *x, int n) {
  double copy[64], other[64];
  return mixed(x, copy, other, n);
}

static void mixes(void) {
  enum { M = 63 };
  double x[M], dx[M] = {0};
  for (int i = 0; i < M; ++i)
    x[i] = 0.3 + 0.1 * (i % 7);
  (void)__verso_grad_double((void *)mixed_into, verso_dup, x, dx, verso_const,
                            M);
  for (int i = 0; i < M; ++i) {
    double seed[M] = {0};
    seed[i] = 1;
    double expected = __verso_jvp_double((void *)mixed_into, verso_dup, x, seed,
                                         verso_const, M);
    CHECK_CLOSE(dx[i], expected, 1e-12);
  }
}

// The gradient, to be differentiated once more.
static double slope(const double *x, const double *weights, int n) {
  double dx[64] = {0}, sum = 0;
  (void)__verso_grad_double((void *)mixed_into, verso_dup, x, dx, verso_const,
                            n);
  for (int i = 0; i < n; ++i)
    sum += weights[i] * dx[i];
  return sum;
}

static void slopes(void) {
  enum { M = 23 };
  double x[M], weights[M], seed[M];
  for (int i = 0; i < M; ++i) {
    x[i] = 0.3 + 0.1 * (i % 7);
    weights[i] = 1 - 0.2 * (i % 4);
    seed[i] = 0.5 + 0.25 * (i % 3);
  }
  double tangent = __verso_jvp_double((void *)slope, verso_dup, x, seed,
                                      verso_const, weights, verso_const, M);
  const double h = 1e-4;
  double there[M], here[M];
  for (int i = 0; i < M; ++i) {
    there[i] = x[i] + h * seed[i];
    here[i] = x[i] - h * seed[i];
  }
  CHECK_CLOSE(tangent,
              (slope(there, weights, M) - slope(here, weights, M)) / (2 * h),
              1e-6);
}

// Of a number's bytes the halves of the caller's memory may be floats.
union both {
  float halves[2];
  double whole;
};

static double floats(const union both *x, int n) {
  union both copy[32];
  memcpy(copy, x, n * sizeof *copy);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    if (i % 3)
      sum += copy[i].whole * copy[i].whole;
    else
      sum += copy[i].halves[0] * copy[i].halves[1];
  return sum;
}

static void halves(void) {
  enum { M = 30 };
  union both x[M], dx[M];
  memset(dx, 0, sizeof dx);
  for (int i = 0; i < M; ++i)
    if (i % 3) {
      x[i].whole = i;
    } else {
      x[i].halves[0] = 1.5f;
      x[i].halves[1] = (float)i;
    }
  (void)__verso_grad_double((void *)floats, verso_dup, x, dx, verso_const, M);
  for (int i = 0; i < M; ++i)
    if (i % 3) {
      CHECK_CLOSE(dx[i].whole, 2.0 * i, 1e-12);
    } else {
      CHECK_CLOSE(dx[i].halves[0], i, 1e-6);
      CHECK_CLOSE(dx[i].halves[1], 1.5, 1e-6);
    }
}

int main(void) {
  smoothly();
  mixes();
  slopes();
  halves();
  smoothly();
  return check_status();
}
