//===- shadow-structures.c - a struct that leads to arrays ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A struct with pointers, duplicated with a shadow struct whose pointers lead
// to shadow arrays; and an array of pointers to rows, with a shadow of the same
// form.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct model {
  int rows, columns;
  double *weights;
  double bias;
  const double *input;
};

CHECK_NOINLINE static double evaluate(const struct model *m) {
  double sum = 0;
  for (int i = 0; i < m->rows; ++i) {
    double row = m->bias;
    for (int j = 0; j < m->columns; ++j)
      row += m->weights[i * m->columns + j] * m->input[j];
    sum += row * row;
  }
  return sum;
}
static double evaluate_at(double *x) {
  struct model m = {2, 3, x, x[6], x + 7};
  return evaluate(&m);
}
CHECK_NOINLINE static double trace_of_square(double **rows, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      sum += rows[i][j] * rows[j][i];
  return sum;
}
CHECK_NOINLINE static void scale_rows(double **rows, int n) {
  for (int i = 0; i < n; ++i) {
    double *row = rows[i];
    for (int j = 0; j < n; ++j)
      row[j] = row[j] * row[j] * (i + 1);
  }
}

int main(void) {
  double x[] = {1, 2, 3, 4, 5, 6, 0.5, -1, 2, 0.25}, dx[10] = {0};
  struct model m = {2, 3, x, x[6], x + 7}, dm = {0, 0, dx, 0, dx + 7};
  __verso_grad_void(evaluate, verso_dup, &m, &dm);
  dx[6] = dm.bias;
  CHECK_GRADIENT(evaluate_at, 10, x, dx, 1e-9);
  CHECK(dm.weights == dx && dm.rows == 0);

  double a[2][2] = {{1, 2}, {3, 4}}, da[2][2] = {{0}};
  double *rows[] = {a[0], a[1]}, *drows[] = {da[0], da[1]};
  __verso_grad_void(trace_of_square, verso_dup, rows, drows, 2);
  CHECK_EQUAL(da[0][0], 2);
  CHECK_EQUAL(da[0][1], 6);
  CHECK_EQUAL(da[1][0], 4);
  CHECK_EQUAL(da[1][1], 8);

  double db[2][2] = {{1, 10}, {100, 1000}};
  double *dbrows[] = {db[0], db[1]};
  __verso_vjp_void(scale_rows, verso_dup, rows, dbrows, 2);
  CHECK_EQUAL(db[0][0], 2);
  CHECK_EQUAL(db[0][1], 40);
  CHECK_EQUAL(db[1][0], 100 * 2 * 3 * 2);
  CHECK_EQUAL(db[1][1], 1000 * 2 * 4 * 2);
  return check_status();
}
