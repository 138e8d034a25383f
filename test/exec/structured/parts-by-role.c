//===- parts-by-role.c - one part, arguments of several kinds -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FLAGS: -mllvm -verso-parts=always
//
// The same part in requests of which other arguments vary, with what it writes
// as its input, with seeds in memory, and in a function that makes a request.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);

enum { N = 6 };
static const double start_x[N] = {.3, -.2, .7, .1, .9, -.5};
static const double start_y[N] = {.6, .2, -.4, .8, .1, .3};

CHECK_NOINLINE static void mix(double *to, const double *a, const double *b,
                               int n, double w) {
  for (int i = 0; i < n; ++i)
    to[i] = sin(a[i] * w) + b[i] * b[(i + 1) % n] + to[i] * to[i] * 0.1;
}
CHECK_NOINLINE static double f(double *x, double *y, double *out, int n,
                               double w) {
  double t[N], s = 0;
  for (int i = 0; i < n; ++i)
    t[i] = x[i];
  mix(t, x, y, n, w);
  mix(t, t, y, n, 0.3);
  mix(out, t, x, n, w * w);
  mix(out, y, y, n, 1);
  for (int i = 0; i < n; ++i)
    s += out[i] * t[i];
  return s;
}
CHECK_NOINLINE static void g(double *out, double *x, int n) {
  double t[N] = {0};
  mix(t, x, x, n, 0.5);
  mix(out, t, x, n, 2);
  mix(x, out, t, n, 1);
}

/// Along a direction, by forward mode.
static double along(const double *vx, const double *vy, double vw) {
  double x[N], y[N], out[N] = {0}, dx[N], dy[N], dout[N] = {0};
  memcpy(x, start_x, sizeof x);
  memcpy(y, start_y, sizeof y);
  memcpy(dx, vx, sizeof dx);
  memcpy(dy, vy, sizeof dy);
  return __verso_jvp((void *)f, verso_dup, x, dx, verso_dup, y, dy, verso_dup,
                     out, dout, verso_const, N, verso_dup, 0.7, vw);
}

static void check(const double *dx, const double *dy, const double *dw) {
  const double none[N] = {0};
  for (int i = 0; i < N; ++i) {
    double e[N] = {0};
    e[i] = 1;
    if (dx)
      CHECK_CLOSE(dx[i], along(e, none, 0), 1e-13);
    if (dy)
      CHECK_CLOSE(dy[i], along(none, e, 0), 1e-13);
  }
  if (dw)
    CHECK_CLOSE(*dw, along(none, none, 1), 1e-13);
}

static void gradients(void) {
  double x[N], y[N], out[N], dout[N], dx[N], dy[N], dw;
#define START                                                                  \
  memcpy(x, start_x, sizeof x);                                                \
  memcpy(y, start_y, sizeof y);                                                \
  memset(out, 0, sizeof out);                                                  \
  memset(dout, 0, sizeof dout);                                                \
  memset(dx, 0, sizeof dx);                                                    \
  memset(dy, 0, sizeof dy)
  START;
  dw = __verso_grad((void *)f, verso_dup, x, dx, verso_dup, y, dy, verso_dup,
                    out, dout, verso_const, N, verso_out, 0.7);
  check(dx, dy, &dw);
  START;
  __verso_grad_void((void *)f, verso_dup, x, dx, verso_const, y, verso_dup, out,
                    dout, verso_const, N, verso_const, 0.7);
  check(dx, NULL, NULL);
  START;
  __verso_grad_void((void *)f, verso_const, x, verso_dup, y, dy, verso_dup, out,
                    dout, verso_const, N, verso_const, 0.7);
  check(NULL, dy, NULL);
  START;
  dw = __verso_grad((void *)f, verso_const, x, verso_const, y, verso_dup, out,
                    dout, verso_const, N, verso_out, 0.7);
  check(NULL, NULL, &dw);
}

static void seeds(void) {
  const double of_out[N] = {1, 2, 3, 4, 5, 6},
               of_x[N] = {.5, -1, .25, 2, -.5, 1};
  double x[N], out[N] = {0}, dout[N], dx[N];
  memcpy(x, start_x, sizeof x);
  memcpy(dout, of_out, sizeof dout);
  memcpy(dx, of_x, sizeof dx);
  __verso_vjp_void((void *)g, verso_dup, out, dout, verso_dup, x, dx,
                   verso_const, N);
  for (int i = 0; i < N; ++i) {
    double vout[N] = {0}, vx[N] = {0}, sum = 0;
    vx[i] = 1;
    memcpy(x, start_x, sizeof x);
    memset(out, 0, sizeof out);
    __verso_jvp((void *)g, verso_dup, out, vout, verso_dup, x, vx, verso_const,
                N);
    for (int k = 0; k < N; ++k)
      sum += of_out[k] * vout[k] + of_x[k] * vx[k];
    CHECK_CLOSE(dx[i], sum, 1e-13);
  }
}

static double slope(double *x) {
  double y[N], out[N] = {0}, at[N], dx[N] = {0}, sum = 0;
  memcpy(y, start_y, sizeof y);
  memcpy(at, x, sizeof at);
  __verso_grad_void((void *)f, verso_dup, at, dx, verso_const, y, verso_const,
                    out, verso_const, N, verso_const, 0.7);
  for (int i = 0; i < N; ++i)
    sum += dx[i] * dx[i];
  return sum;
}

int main(void) {
  gradients();
  seeds();
  double x[N], dx[N] = {0};
  memcpy(x, start_x, sizeof x);
  __verso_grad_void((void *)slope, verso_dup, x, dx);
  for (int i = 0; i < N; ++i) {
    double e[N] = {0};
    e[i] = 1;
    CHECK_CLOSE(dx[i], __verso_jvp((void *)slope, verso_dup, x, e), 1e-12);
  }
  return check_status();
}
