//===- copies-of-constants.c - copies out of memory without a shadow ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows and records of the caller are overwritten by copies of constants: memory
// whose shadow, in the shadow structure, is itself. Nothing is given to it.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { Rows = 3, Length = 4 };

struct Record {
  long tag;
  double v, w;
  float z;
  int count;
};
struct Model {
  double **rows, **constants;
  struct Record *records, *others;
  int n;
};

CHECK_NOINLINE static double of_rows(struct Model *m) {
  double sum = 0;
  for (int i = 0; i < m->n; ++i) {
    for (int j = 0; j < Length; ++j)
      sum += m->rows[i][j] * m->rows[i][j] * m->constants[i][j];
    memmove(m->rows[i], m->constants[i], Length * sizeof(double));
    sum += m->rows[i][1];
  }
  return sum;
}

CHECK_NOINLINE static double of_records(struct Model *m) {
  double sum = 0;
  for (int i = 0; i < m->n; ++i) {
    sum += m->records[i].v * m->records[i].w * m->others[i].w;
    sum += m->records[i].z;
    m->records[i] = m->others[i];
    sum += m->records[i].v;
  }
  return sum;
}

int main(void) {
  double x[Rows][Length], dx[Rows][Length] = {{0}}, c[Rows][Length];
  double *rows[Rows], *shadows[Rows], *constants[Rows];
  struct Record y[Rows], dy[Rows] = {{0}}, d[Rows];
  for (int i = 0; i < Rows; ++i) {
    rows[i] = x[i], shadows[i] = dx[i], constants[i] = c[i];
    for (int j = 0; j < Length; ++j)
      x[i][j] = 1 + i + j, c[i][j] = 2 + i - j;
    y[i] = (struct Record){i, 1 + i, 3 - i, 2, i};
    d[i] = (struct Record){i + 7, 2 - i, 5 + i, 1, i};
  }
  struct Model m = {rows, constants, y, d, Rows};
  struct Model shadow = {shadows, constants, dy, d, Rows};
  __verso_grad((void *)of_rows, verso_dup, &m, &shadow);
  __verso_grad((void *)of_records, verso_dup, &m, &shadow);
  for (int i = 0; i < Rows; ++i) {
    for (int j = 0; j < Length; ++j) {
      CHECK_CLOSE(dx[i][j], 2.0 * (1 + i + j) * (2 + i - j), 1e-14);
      CHECK_CLOSE(x[i][j], 2 + i - j, 0);
      CHECK_CLOSE(c[i][j], 2 + i - j, 0);
    }
    CHECK_CLOSE(dy[i].v, (3.0 - i) * (5 + i), 1e-14);
    CHECK_CLOSE(dy[i].w, (1.0 + i) * (5 + i), 1e-14);
    CHECK_CLOSE(dy[i].z, 1, 0);
    CHECK_CLOSE(y[i].v, 2 - i, 0);
    CHECK_CLOSE(d[i].w, 5 + i, 0);
  }
  return check_status();
}
