//===- sparsity.c - the pattern of a linear map ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The user's lists of cells say how inputs and outputs are numbered. Cells that
// the function leaves alone hold themselves; others may be copies, constants,
// floats, values of many inputs; by-value arguments and returned numbers come
// last. Entry by entry the pattern is that of the pushforwards of the units,
// but for a derivative that is zero by chance.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"
#include "verso/verso.h"

#include <string.h>

enum { N = 40, M = 9 };

static double f(double a, double b, const double *x, float *z, double *y) {
  double s = 0;
  for (int i = 0; i < 30; ++i)
    s += x[i] * x[i]; // More than a list holds.
  double chained = s;
  for (int i = 0; i < 5; ++i)
    chained = chained * s + 1; // Of the same inputs.
  y[0] = s;
  y[1] = chained * x[35];
  y[2] = 7; // A constant.
  memcpy(y + 3, x + 38, sizeof(double));
  y[4] = y[4] * x[2] + a;
  // y[5] is left alone.
  y[6] = z[0] * x[3];
  z[1] = (float)(x[4] * b);
  y[7] = x[0] * x[1] > -1 ? x[5] : x[6];
  y[8] = x[37] * x[37]; // Zero just here: there is an entry.
  return a * y[1] + x[36];
}

int main(void) {
  double x[N], y[M], dx[N] = {0}, dy[M] = {0};
  float z[2] = {.5f, .25f}, dz[2] = {0};
  for (int i = 0; i < N; ++i)
    x[i] = i == 37 ? 0 : 1 + .01 * i;
  for (int i = 0; i < M; ++i)
    y[i] = .5 + i;
  verso_tape *t =
      __verso_linearize(f, verso_out, 1.5, verso_out, 2.5, verso_dup, x, dx,
                        verso_dup, z, dz, verso_dup, y, dy);
  // x in two pieces, the second one first; then z, y; then a, b.
  const verso_cells in[] = {{dx + 30, N - 30, sizeof *dx},
                            {dx, 30, sizeof *dx},
                            {dz, 2, sizeof *dz},
                            {dy, M, sizeof *dy}};
  const verso_cells out[] = {{dy, M, sizeof *dy}, {dz, 2, sizeof *dz}};
  verso_pattern *p = verso_tape_sparsity(t, in, 4, out, 2);
  CHECK(p->columns == N + 2 + M + 2 && p->rows == M + 2 + 1);

  static unsigned char has[M + 3][N + 2 + M + 2];
  for (size_t i = 0; i < p->rows; ++i)
    for (size_t k = p->starts[i]; k < p->starts[i + 1]; ++k) {
      CHECK(k == p->starts[i] || p->indices[k - 1] < p->indices[k]);
      has[i][p->indices[k]] = 1;
    }
  for (size_t j = 0; j < p->columns; ++j) {
    double tangents[2] = {j == N + 2 + M, j == N + 2 + M + 1}, result;
    memset(dx, 0, sizeof dx);
    memset(dy, 0, sizeof dy);
    memset(dz, 0, sizeof dz);
    if (j < N)
      dx[(j + 30) % N] = 1;
    else if (j < N + 2)
      dz[j - N] = 1;
    else if (j < N + 2 + M)
      dy[j - N - 2] = 1;
    verso_pushforward(t, tangents, &result);
    for (int i = 0; i < M; ++i)
      CHECK(has[i][j] == (dy[i] != 0 || (i == 8 && j == 7)));
    for (int i = 0; i < 2; ++i)
      CHECK(has[M + i][j] == (dz[i] != 0));
    CHECK(has[M + 2][j] == (result != 0));
  }
  CHECK(p->starts[1] == 30 && p->starts[2] - p->starts[1] == 31);
  verso_pattern_free(p);

  // What is in no list is constant.
  const verso_cells some = {dx, 3, sizeof *dx};
  p = verso_tape_sparsity(t, &some, 1, out, 1);
  CHECK(p->columns == 3 + 2 && p->starts[1] == 3 && p->starts[5] == 8);
  CHECK(p->starts[6] == p->starts[5]);
  verso_pattern_free(p);
  verso_tape_free(t);
  return check_status();
}
