//===- fields-in-a-vector.c - a pointer out of a vector of floats ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//
//
// A float and a pointer of one struct are loaded as a vector of floats, as LLVM
// does for a struct in a register's size, and the pointer is taken out of its
// bits. What it leads to keeps its derivative, and so does the float. Of the
// pair of an array of pairs, and of a local struct that holds the argument.
//
// STRATEGY: structured
//
//===----------------------------------------------------------------------===//

#include "../check.h"

typedef float Vector __attribute__((vector_size(16)));
typedef long Longs __attribute__((vector_size(16)));

double __verso_jvp(void *, ...);

typedef struct {
  float weight;
  int kind;
  double *to;
} __attribute__((aligned(16))) Field;

CHECK_NOINLINE static double follow(Field *field, double *x, int n) {
  Field local __attribute__((aligned(16))) = {0.5f, 2, x};
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    // Of the caller's memory, and of our own.
    for (int k = 0; k < 2; ++k) {
      Vector v;
      memcpy(&v, k ? &local : field, sizeof v);
      double *p = (double *)((Longs)v)[1];
      p[i] = p[i] * p[i + 1] + v[0];
      sum += v[0] * p[i];
    }
    local.weight = (float)x[i + 1];
  }
  return sum;
}

enum { N = 4 };

static double value(const double *in, float weight) {
  double x[N], y[N];
  memcpy(x, in, sizeof x);
  for (int i = 0; i < N; ++i)
    y[i] = 0.5 + 0.25 * i;
  Field field = {weight, 1, y};
  return follow(&field, x, N - 1);
}

int main(void) {
  double in[N] = {0.3, -0.7, 1.1, 0.4}, x[N], y[N], dx[N] = {0}, dy[N] = {0};
  memcpy(x, in, sizeof x);
  for (int i = 0; i < N; ++i)
    y[i] = 0.5 + 0.25 * i;
  Field field = {0.75f, 1, y}, shadow = {0, 0, dy};
  __verso_grad((void *)follow, verso_dup, &field, &shadow, verso_dup, x, dx,
               verso_const, N - 1);
  for (int k = 0; k < N; ++k) {
    double moved[N], h = 1e-3;
    memcpy(moved, in, sizeof moved);
    moved[k] = in[k] + h;
    double above = value(moved, 0.75f);
    moved[k] = in[k] - h;
    CHECK_CLOSE(dx[k], (above - value(moved, 0.75f)) / (2 * h), 1e-3);
  }
  CHECK_CLOSE(
      shadow.weight,
      (value(in, 0.75f + 0x1p-7f) - value(in, 0.75f - 0x1p-7f)) / 0x1p-6, 1e-3);
  double v[N] = {0.5, -1, 0.25, 2}, dot = 0, jv;
  for (int i = 0; i < N; ++i) {
    x[i] = in[i], y[i] = 0.5 + 0.25 * i;
    dot += v[i] * dx[i];
  }
  double zero[N] = {0};
  Field still = {0, 0, zero};
  jv = __verso_jvp((void *)follow, verso_dup, &field, &still, verso_dup, x, v,
                   verso_const, N - 1);
  CHECK_CLOSE(jv, dot, 1e-6);
  return check_status();
}
