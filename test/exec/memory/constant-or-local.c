//===- constant-or-local.c - stores through a pointer to either -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number that varies is stored through a pointer that leads to a local array
// or, as an index has it, to memory behind an argument without a shadow, and is
// read from there. The derivative goes through both.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);

CHECK_NOINLINE static double f(double *x, double *c, int n) {
  double local[4] = {1, 2, 3, 4};
  double *at[2] = {c, local};
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double *p = at[i & 1];
    p[i & 3] = sin(x[i]) * p[(i + 1) & 3];
    sum += p[i & 3] * c[(i + 2) & 3] + local[i & 3];
  }
  return sum;
}

enum { N = 6 };

static double storage[4], *volatile escaped = storage, *b;

static double value(const double *x) {
  double copy[N];
  memcpy(copy, x, sizeof copy);
  for (int i = 0; i < 4; ++i)
    b[i] = 0.5 + 0.25 * i;
  return f(copy, b, N);
}

int main(void) {
  b = escaped;
  double x[N] = {0.3, 0.7, 1.1, -0.4, 0.9, 0.2}, d[N] = {0}, jv = 0, dot = 0;
  double v[N] = {0.5, -1, 0.25, 2, 1, -0.75};
  value(x);
  for (int i = 0; i < 4; ++i)
    b[i] = 0.5 + 0.25 * i;
  __verso_grad((void *)f, verso_dup, x, d, verso_const, b, verso_const, N);
  for (int i = 0; i < 4; ++i)
    b[i] = 0.5 + 0.25 * i;
  jv = __verso_jvp((void *)f, verso_dup, x, v, verso_const, b, verso_const, N);
  for (int k = 0; k < N; ++k) {
    double y[N], h = 1e-6;
    memcpy(y, x, sizeof y);
    y[k] = x[k] + h;
    double above = value(y);
    y[k] = x[k] - h;
    CHECK_CLOSE(d[k], (above - value(y)) / (2 * h), 1e-8);
    dot += d[k] * v[k];
  }
  CHECK_CLOSE(jv, dot, 1e-13);
  return check_status();
}
