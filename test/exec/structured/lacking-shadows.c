//===- lacking-shadows.c - loops over memory with and without shadows -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reversed loops ask once whether the pointers of a structure, or of rows, have
// shadows. Here all have one, each of them in turn has none, or one row.
//
// UNCHECKED: memory without a shadow has tangents in forward mode, and then it
// is its own
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { MOST = 20 };

typedef struct {
  size_t n;
  double *a, *b, *c;
} Fields;

/// Neighbours, and a product of three.
CHECK_NOINLINE static double products(const Fields *f) {
  double s = 0;
  for (size_t i = 0; i < f->n; ++i)
    s += (f->a[i] + 0.5 * f->a[i + 1]) * f->b[i] * (1 + f->c[i + 1]);
  for (size_t i = 0; i < f->n; ++i)
    s += f->b[i] * 2 - f->c[i];
  return s;
}

static void check_products(size_t n, unsigned without) {
  double x[3][MOST + 2], d[3][MOST + 2];
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < MOST + 2; ++i) {
      x[k][i] = 0.25 * (k + 1) + 0.125 * i;
      d[k][i] = 0;
    }
  double before[3][MOST + 2];
  memcpy(before, x, sizeof x);
  Fields f = {n, x[0], x[1], x[2]};
  Fields df = {n, without == 1 ? x[0] : d[0], without == 2 ? x[1] : d[1],
               without == 3 ? x[2] : d[2]};
  __verso_grad_void(products, verso_dup, &f, &df);
  double e[3][MOST + 2] = {{0}};
  for (size_t i = 0; i < n; ++i) {
    double a = x[0][i] + 0.5 * x[0][i + 1], b = x[1][i], c = 1 + x[2][i + 1];
    e[0][i] += b * c;
    e[0][i + 1] += 0.5 * b * c;
    e[1][i] += a * c + 2;
    e[2][i + 1] += a * b;
    e[2][i] -= 1;
  }
  for (unsigned k = 0; k < 3; ++k)
    for (int i = 0; i < MOST + 2; ++i) {
      CHECK_EQUAL(x[k][i], before[k][i]);
      CHECK_CLOSE(d[k][i], without == k + 1 ? 0 : e[k][i], 1e-14);
    }
}

CHECK_NOINLINE static double rows(double *const *u, double *const *v,
                                  size_t n) {
  double s = 0;
  for (size_t i = 0; i + 1 < n; ++i)
    for (size_t j = 0; j + 1 < n; ++j)
      s += u[i][j] * v[i + 1][j] + u[i + 1][j + 1] * v[i][j];
  return s;
}

static void check_rows(size_t n, size_t without) {
  double x[2][MOST][MOST], d[2][MOST][MOST];
  double *p[2][MOST], *q[2][MOST];
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < MOST; ++i) {
      p[k][i] = x[k][i];
      q[k][i] = k == 1 && i == (int)without ? x[k][i] : d[k][i];
      for (int j = 0; j < MOST; ++j) {
        x[k][i][j] = 0.5 * k + 0.25 * i - 0.125 * j;
        d[k][i][j] = 0;
      }
    }
  __verso_grad_void(rows, verso_dup, p[0], q[0], verso_dup, p[1], q[1],
                    verso_const, n);
  double e[2][MOST][MOST] = {{{0}}};
  for (size_t i = 0; i + 1 < n; ++i)
    for (size_t j = 0; j + 1 < n; ++j) {
      e[0][i][j] += x[1][i + 1][j];
      e[1][i + 1][j] += x[0][i][j];
      e[0][i + 1][j + 1] += x[1][i][j];
      e[1][i][j] += x[0][i + 1][j + 1];
    }
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < MOST; ++i)
      for (int j = 0; j < MOST; ++j)
        CHECK_CLOSE(d[k][i][j], k == 1 && i == (int)without ? 0 : e[k][i][j],
                    1e-14);
}

int main(void) {
  const size_t lengths[] = {0, 1, 2, 5, MOST};
  for (int k = 0; k < 5; ++k)
    for (unsigned without = 0; without <= 3; ++without)
      check_products(lengths[k], without);
  for (size_t without = 0; without <= MOST; without += 4)
    check_rows(MOST, without);
  return check_status();
}
