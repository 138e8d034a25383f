//===- stored-globals.c - globals by name and by stored addresses ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function itself puts the address of a global variable beside addresses of
// the caller's memory, and reads and writes through one of them: which one is
// known when the program runs. The global's adjoint is one, whichever way the
// access takes.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include <stdlib.h>

enum { N = 8 };

static double state[N];
static _Thread_local double local[N];

typedef struct Row {
  double *at;
  int first;
} Row;

CHECK_NOINLINE static double chosen(double **rows, int k) {
  double **table = malloc(3 * sizeof *table);
  Row own[2] = {{local, 1}, {rows[1], 0}};
  for (int i = 0; i < N; ++i) {
    state[i] = rows[0][i] * 0.5 + i;
    local[i] = rows[1][i] * rows[0][N - 1 - i];
  }
  table[0] = state + 1;
  table[1] = rows[0];
  table[2] = local;
  double s = 0;
  for (int i = 0; i + 1 < N; ++i) {
    double *p = table[(i * k) % 3];
    p[i] = sin(p[i]) * state[i] + local[i];
    s += state[i] * own[(i + k) & 1].at[own[i & 1].first] + p[i] * rows[1][i];
  }
  free(table);
  return s;
}

static double ofRows(double *x) {
  double copy[2 * N], *rows[] = {copy, copy + N};
  for (int i = 0; i < 2 * N; ++i)
    copy[i] = x[i];
  double s = 0;
  for (int k = 0; k < 4; ++k)
    s += chosen(rows, k);
  return s;
}

CHECK_NOINLINE static double sum(double **rows) {
  double s = 0;
  for (int k = 0; k < 4; ++k)
    s += chosen(rows, k);
  return s;
}

int main(void) {
  double x[2 * N], y[2 * N], d[2 * N] = {0};
  for (int i = 0; i < 2 * N; ++i)
    y[i] = x[i] = 0.3 + 0.11 * i - 0.013 * i * i;
  double *rows[] = {y, y + N}, *shadows[] = {d, d + N};
  __verso_grad_void((void *)sum, verso_dup, rows, shadows);
  CHECK_GRADIENT(ofRows, 2 * N, x, d, 1e-7);
  return check_status();
}
