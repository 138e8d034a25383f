//===- global-arrays.c - arrays of pointers that are static variables -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of a table, and the grids of a multigrid cycle, in static arrays that the
// function fills itself and comes to at computed indices: what was there before
// the request is overwritten. Where one element is not (`other_row`), what it
// led to is a constant.
//
// STRATEGY: structured
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { ROWS = 3, N = 8 };

static double *row[ROWS];
CHECK_NOINLINE static double rows(double *x) {
  for (int k = 0; k < ROWS; k++)
    row[k] = (double *)malloc(N * sizeof(double));
  for (int i = 0; i < N; i++)
    for (int k = 0; k < ROWS; k++)
      row[(i + k) % ROWS][i] = x[i] * x[(i + k) % N];
  double sum = 0;
  for (int i = 0; i < N; i++)
    sum += row[i % ROWS][i] * row[(i * i) % ROWS][N - 1 - i];
  for (int k = 0; k < ROWS; k++)
    free(row[k]);
  return sum;
}

static struct level {
  int n;
  double *p, *rhs;
} levels[ROWS];
static void smooth(struct level *l) {
  for (int i = 1; i <= l->n; i++)
    l->p[i] = 0.5 * (l->p[i - 1] + l->p[i + 1] - l->rhs[i] * l->rhs[i]);
}
static void cycle(int k) {
  struct level *l = &levels[k];
  smooth(l);
  if (k == ROWS - 1)
    return;
  struct level *c = &levels[k + 1];
  for (int i = 1; i <= c->n; i++)
    c->rhs[i] = l->rhs[2 * i] - l->p[2 * i];
  cycle(k + 1);
  for (int i = 1; i <= c->n; i++)
    l->p[2 * i] += c->p[i];
}
CHECK_NOINLINE static double multigrid(double *x) {
  for (int k = 0, n = N; k < ROWS; k++, n /= 2) {
    levels[k].n = n;
    levels[k].p = (double *)calloc(n + 2, sizeof(double));
    levels[k].rhs = (double *)calloc(n + 2, sizeof(double));
  }
  for (int i = 0; i < N; i++)
    levels[0].rhs[i + 1] = x[i];
  cycle(0);
  double sum = 0;
  for (int i = 1; i <= N; i++)
    sum += levels[0].p[i] * levels[0].p[i];
  for (int k = 0; k < ROWS; k++) {
    free(levels[k].p);
    free(levels[k].rhs);
  }
  return sum;
}

static const double *other[2];
CHECK_NOINLINE static double other_row(const double *x, int n) {
  other[0] = x;
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += other[i % 2][i] * other[0][i];
  return sum;
}
static double outside[N] = {3, 1, 4, 1, 5, 9, 2, 6};

int main(void) {
  double x[N], dx[N] = {0};
  for (int i = 0; i < N; i++)
    x[i] = 1 + 0.1 * i;
  for (int again = 0; again < 2; again++) {
    memset(dx, 0, sizeof dx);
    __verso_grad_void((void *)rows, verso_dup, x, dx);
    CHECK_GRADIENT(rows, N, x, dx, 1e-7);
    memset(dx, 0, sizeof dx);
    __verso_grad_void((void *)multigrid, verso_dup, x, dx);
    CHECK_GRADIENT(multigrid, N, x, dx, 1e-7);
  }
  other[1] = outside;
  memset(dx, 0, sizeof dx);
  __verso_grad_void((void *)other_row, verso_dup, x, dx, verso_const, N);
  for (int i = 0; i < N; i++)
    CHECK_CLOSE(dx[i], i % 2 ? outside[i] : 2 * x[i], 1e-14);
  return check_status();
}
