//===- long-double-cells.c - sixteen-byte cells ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays and structs of long double inside a function of doubles, copied and
// overwritten.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct sums {
  long double sum, square;
  int count;
};

CHECK_NOINLINE static double variance(const double *x, int n) {
  struct sums s = {0, 0, 0};
  for (int i = 0; i < n; ++i) {
    struct sums next = s;
    next.sum += x[i];
    next.square += (long double)x[i] * x[i];
    ++next.count;
    s = next;
  }
  long double mean = s.sum / s.count;
  return (double)(s.square / s.count - mean * mean);
}

/// Copied as bytes to memory of the caller that nobody writes as a number: what is
/// computed, what was read, what was stored as a number; by assignments and memcpy.
struct weights {
  long double a;
  double b;
  long double c;
};

CHECK_NOINLINE static void assigned(struct weights *w, struct weights *v) {
  struct weights t = w[0];
  t.a = t.a * t.a * t.c;
  t.b *= 2;
  w[1] = t;
  v[0] = w[1];
}

CHECK_NOINLINE static void overwritten(struct weights *w, struct weights *v) {
  w[0].a *= 2;
  w[0].c *= w[0].b;
  w[1] = w[0];
  v[0] = w[1];
}

CHECK_NOINLINE static void copied(long double *x, long double *y) {
  long double t = x[0] * x[1];
  memcpy(&x[2], &x[0], sizeof(t));
  y[0] = x[0];
  memcpy(&y[1], &t, sizeof(t));
  memcpy(y + 2, x, 2 * sizeof(t));
}

/// Byte by byte, downwards: of what was computed, and of the caller's.
CHECK_NOINLINE static void computed_bytes(long double *x, long double *y) {
  long double t[2] = {x[0] * x[1], x[1]};
  for (int i = (int)sizeof(t) - 1; i >= 0; --i)
    ((char *)y)[i] = ((char *)t)[i];
}

CHECK_NOINLINE static void given_bytes(long double *x, long double *y) {
  for (int i = 2 * (int)sizeof(*x) - 1; i >= 0; --i)
    ((char *)y)[i] = ((char *)x)[i];
  y[2] = y[0] * y[1];
}

static void set(struct weights *w, long double a, double b, long double c) {
  memset(w, 0, sizeof(*w));
  w->a = a;
  w->b = b;
  w->c = c;
}

static void check_copies(void) {
  struct weights w[2], dw[2], v, dv;
  set(&w[0], 2, 3, 5), set(&w[1], 0, 0, 0), set(&dw[0], 0, 0, 0);
  set(&dw[1], 7, 11, 13), set(&dv, 100, 200, 300);
  __verso_vjp_void(assigned, verso_dup, w, dw, verso_dup, &v, &dv);
  CHECK_EQUAL(dw[0].a, 107 * 20);
  CHECK_EQUAL(dw[0].b, 2 * 211);
  CHECK_EQUAL(dw[0].c, 107 * 4 + 313);
  CHECK_EQUAL(dw[1].a, 0);
  CHECK_EQUAL(dw[1].c, 0);
  CHECK_EQUAL(dv.a, 0);
  set(&w[0], 2, 3, 5), set(&w[1], 0, 0, 0), set(&dw[0], 0, 0, 0);
  set(&dw[1], 1, 2, 3), set(&dv, 10, 0, 30);
  __verso_vjp_void(overwritten, verso_dup, w, dw, verso_dup, &v, &dv);
  CHECK_EQUAL(dw[0].a, 22);
  CHECK_EQUAL(dw[0].b, 2 + 33 * 5);
  CHECK_EQUAL(dw[0].c, 33 * 3);
  long double x[3] = {2, 3, 0}, dx[3] = {0, 0, 1}, y[4];
  long double dy[4] = {10, 100, 1000, 10000};
  __verso_vjp_void(copied, verso_dup, x, dx, verso_dup, y, dy);
  CHECK_EQUAL(dx[0], 1 + 10 + 300 + 1000);
  CHECK_EQUAL(dx[1], 200 + 10000);
  CHECK_EQUAL(dx[2], 0);
  dx[0] = dx[1] = 0, dy[0] = 10, dy[1] = 100;
  __verso_vjp_void(computed_bytes, verso_dup, x, dx, verso_dup, y, dy);
  CHECK_EQUAL(dx[0], 30);
  CHECK_EQUAL(dx[1], 120);
  dx[0] = dx[1] = 0, dy[0] = 10, dy[1] = 100, dy[2] = 1000;
  __verso_vjp_void(given_bytes, verso_dup, x, dx, verso_dup, y, dy);
  CHECK_EQUAL(dx[0], 3010);
  CHECK_EQUAL(dx[1], 2100);
}

int main(void) {
  double x[] = {1, 4, 2, 8}, dx[4] = {0}, mean = 15.0 / 4;
  __verso_grad_void(variance, verso_dup, x, dx, 4);
  for (int i = 0; i < 4; ++i)
    CHECK_CLOSE(dx[i], 2 * (x[i] - mean) / 4, 1e-14);
  check_copies();
  return check_status();
}
