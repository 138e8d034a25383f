//===- first-touches.c - cells that are stored to for the first time ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That a cell of the user's was stored to is noted beside the tape, cells that
// lie side by side in one note. So a loop that writes an array has a row on the
// tape whether the array was touched before or not (less is written where the
// compiler leaves the loop as it is). And cells that lie side by
// side have the shadows that they were given, also where these do not.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdlib.h>

enum { N = 1000 };

size_t verso_tape_bytes(void);
void __verso_vjp_void(void *, ...);

static void combine(double *restrict y, const double *restrict a,
                    const double *restrict x) {
  for (int i = 0; i < N; ++i)
    y[i] += a[i] * x[0];
}

static void weigh(double *restrict y, const double *restrict a,
                  const double *restrict x) {
  (void)x;
  for (int i = 1; i + 1 < N; ++i)
    y[i] = a[i - 1] - 2 * a[i] + a[i + 1];
}

static void downwards(double *restrict y, const double *restrict a,
                      const double *restrict x) {
  for (int i = N; i--;)
    y[i] = a[i] * x[0];
}

static void check(void (*f)(double *, const double *, const double *)) {
  double *all = calloc(6 * N + 2, sizeof *all), *y = all, *dy = all + N;
  double *a = all + 2 * N, *da = all + 3 * N, *x = all + 6 * N, *dx = x + 1;
  for (int i = 0; i < N; ++i) {
    a[i] = 0.25 + i % 7;
    dy[i] = 1.5 - i % 5;
  }
  *x = 0.75;
  double of_a[N] = {0}, of_x = 0;
  for (int i = 0; i < N; ++i) {
    if (f == weigh && (i == 0 || i == N - 1))
      continue;
    if (f == weigh) {
      of_a[i - 1] += dy[i];
      of_a[i] -= 2 * dy[i];
      of_a[i + 1] += dy[i];
    } else {
      of_a[i] += dy[i] * *x;
      of_x += dy[i] * a[i];
    }
  }
  if (f == combine)
    __verso_vjp_void((void *)combine, verso_dup, y, dy, verso_dup, a, da,
                     verso_dup, x, dx);
  else if (f == weigh)
    __verso_vjp_void((void *)weigh, verso_dup, y, dy, verso_dup, a, da,
                     verso_dup, x, dx);
  else
    __verso_vjp_void((void *)downwards, verso_dup, y, dy, verso_dup, a, da,
                     verso_dup, x, dx);
  if (f != downwards)
    CHECK(verso_tape_bytes() <= 36 * N);
  for (int i = 0; i < N; ++i)
    CHECK_CLOSE(da[i], of_a[i], 1e-12);
  CHECK_CLOSE(*dx, of_x, 1e-12);
  for (int i = 0; i < N; ++i)
    if (f == downwards || (f == weigh && i && i < N - 1))
      CHECK(dy[i] == 0);
  free(all);
}

// Two arrays side by side, and so are their shadows; the shadows of these, of
// the request around it, are not.
static void both(double *p, double *q, const double *x) {
  for (int i = 0; i < 2; ++i)
    p[i] = x[i] * x[0];
  for (int i = 0; i < 2; ++i)
    q[i] = x[i] * x[1];
}
static double seeded(double *dp, double *dq) {
  double y[4], x[2] = {2, 3}, dx[2] = {0, 0};
  __verso_vjp_void((void *)both, verso_dup, y, dp, verso_dup, y + 2, dq,
                   verso_dup, x, dx);
  return dx[0] + 10 * dx[1];
}
static void check_nested(void) {
  double seeds[4] = {1, 1, 1, 1}, first[2] = {0, 0}, second[2] = {0, 0};
  __verso_vjp_void((void *)seeded, verso_dup, seeds, first, verso_dup,
                   seeds + 2, second, 1.0);
  // dx0 = 2 x0 dp0 + x1 dp1 + x1 dq0, dx1 = x0 dp1 + x0 dq0 + 2 x1 dq1
  CHECK_CLOSE(first[0], 4, 1e-12);
  CHECK_CLOSE(first[1], 3 + 10 * 2, 1e-12);
  CHECK_CLOSE(second[0], 3 + 10 * 2, 1e-12);
  CHECK_CLOSE(second[1], 10 * 6, 1e-12);
}

int main(void) {
  check(combine);
  check(weigh);
  check(downwards);
  check_nested();
  return check_status();
}
