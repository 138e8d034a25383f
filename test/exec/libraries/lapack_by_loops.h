//===- lapack_by_loops.h - what LAPACK computes, by loops -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by lapack.c and lapacke.c, which define the same functions by calls:
// value, gradient and tangent are compared. All that a call has been given is
// weighed, so that the other triangle and what lies between columns has to stay
// as it was.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include <stddef.h>

double __verso_value_and_grad(void *, ...);
double __verso_jvp(void *, ...);

// Two matrices, with `ld` numbers from row to row, or from column to column.
enum { most = 70, ld = 73, size = ld * ld, total = 2 * size };

struct call {
  int by_rows, m, n;
  char uplo, trans, diag;
};

static int at(const struct call *c, int i, int j) {
  return c->by_rows ? i * ld + j : i + j * ld;
}

static double weighted(const double *x) {
  double sum = 0;
  for (int i = 0; i < total; ++i)
    sum += (0.3 + 0.7 * (i % 5)) * x[i] * x[i];
  return sum;
}

#define ARGUMENTS const double *in, const struct call *c
#define COPY                                                                   \
  double z[total], *a = z, *b = z + size;                                      \
  memcpy(z, in, sizeof z);                                                     \
  (void)a, (void)b
#define A(I, J) a[at(c, I, J)]
#define B(I, J) b[at(c, I, J)]

//===----------------------------------------------------------------------===//
// Triangles
//===----------------------------------------------------------------------===//

// Element of op(A).
static double triangular(const struct call *c, const double *a, int i, int j,
                         int transpose) {
  int row = transpose ? j : i, column = transpose ? i : j;
  if (i == j && c->diag == 'U')
    return 1;
  return (c->uplo == 'L' ? row < column : row > column) ? 0 : A(row, column);
}

// x = op(A)^-1 x, where x is every step-th number.
static void solve_vector(const struct call *c, const double *a, int transpose,
                         double *x, int step) {
  int forward = (c->uplo == 'L') != transpose;
  for (int k = 0; k < c->n; ++k) {
    int i = forward ? k : c->n - 1 - k;
    double sum = x[i * step];
    for (int l = 0; l < k; ++l) {
      int j = forward ? l : c->n - 1 - l;
      sum -= triangular(c, a, i, j, transpose) * x[j * step];
    }
    x[i * step] = sum / triangular(c, a, i, i, transpose);
  }
}

static double trtrs_by_loops(ARGUMENTS) {
  COPY;
  for (int j = 0; j < c->m; ++j)
    solve_vector(c, a, c->trans != 'N', &B(0, j), c->by_rows ? ld : 1);
  return weighted(z);
}

// Columns of the inverse; of A A^T, or of A^T A, if it is so asked.
static void invert(const struct call *c, double *a, int of_product) {
  double old[size], x[most];
  memcpy(old, a, sizeof old);
  for (int j = 0; j < c->n; ++j) {
    for (int i = 0; i < c->n; ++i)
      x[i] = i == j;
    solve_vector(c, old, of_product && c->uplo == 'U', x, 1);
    if (of_product)
      solve_vector(c, old, c->uplo == 'L', x, 1);
    for (int i = 0; i < c->n; ++i)
      if ((c->uplo == 'L' ? i >= j : i <= j) && (i != j || c->diag == 'N'))
        A(i, j) = x[i];
  }
}
static double trtri_by_loops(ARGUMENTS) {
  COPY;
  invert(c, a, 0);
  return weighted(z);
}

//===----------------------------------------------------------------------===//
// Cholesky
//===----------------------------------------------------------------------===//

static void cholesky(const struct call *c, double *a) {
#define L(I, J) A(c->uplo == 'L' ? I : J, c->uplo == 'L' ? J : I)
  for (int k = 0; k < c->n; ++k) {
    L(k, k) = sqrt(L(k, k));
    for (int i = k + 1; i < c->n; ++i)
      L(i, k) /= L(k, k);
    for (int j = k + 1; j < c->n; ++j)
      for (int i = j; i < c->n; ++i)
        L(i, j) -= L(i, k) * L(j, k);
  }
#undef L
}
static double potrf_by_loops(ARGUMENTS) {
  COPY;
  cholesky(c, a);
  return weighted(z);
}
static double potrs_by_loops(ARGUMENTS) {
  COPY;
  for (int j = 0; j < c->m; ++j) {
    solve_vector(c, a, c->uplo == 'U', &B(0, j), c->by_rows ? ld : 1);
    solve_vector(c, a, c->uplo == 'L', &B(0, j), c->by_rows ? ld : 1);
  }
  return weighted(z);
}
static double posv_by_loops(ARGUMENTS) {
  COPY;
  cholesky(c, a);
  return potrs_by_loops(z, c);
}
static double potri_by_loops(ARGUMENTS) {
  COPY;
  invert(c, a, 1);
  return weighted(z);
}

//===----------------------------------------------------------------------===//
// LU
//===----------------------------------------------------------------------===//

static double factor(const struct call *c, int m, int n, double *a,
                     int *pivots) {
  double sum = 0;
  for (int k = 0; k < m && k < n; ++k) {
    int p = k;
    for (int i = k + 1; i < m; ++i)
      if (fabs(A(i, k)) > fabs(A(p, k)))
        p = i;
    pivots[k] = p;
    sum += p * (k + 1);
    for (int j = 0; j < n; ++j) {
      double e = A(k, j);
      A(k, j) = A(p, j);
      A(p, j) = e;
    }
    for (int i = k + 1; i < m; ++i) {
      A(i, k) /= A(k, k);
      for (int j = k + 1; j < n; ++j)
        A(i, j) -= A(i, k) * A(k, j);
    }
  }
  return sum;
}
static void solve_factored(const struct call *c, double *a, const int *pivots,
                           double *x, int step) {
  struct call lower = *c, upper = *c;
  lower.uplo = 'L', lower.diag = 'U', upper.uplo = 'U', upper.diag = 'N';
  int transpose = c->trans != 'N';
  if (!transpose)
    for (int i = 0; i < c->n; ++i) {
      double e = x[i * step];
      x[i * step] = x[pivots[i] * step];
      x[pivots[i] * step] = e;
    }
  solve_vector(transpose ? &upper : &lower, a, transpose, x, step);
  solve_vector(transpose ? &lower : &upper, a, transpose, x, step);
  if (transpose)
    for (int i = c->n - 1; i >= 0; --i) {
      double e = x[i * step];
      x[i * step] = x[pivots[i] * step];
      x[pivots[i] * step] = e;
    }
}
static double sum_of_pivots(const int *pivots, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k)
    sum += (pivots[k] - 1) * (k + 1);
  return sum;
}
static double getrf_by_loops(ARGUMENTS) {
  COPY;
  int pivots[most];
  double sum = factor(c, c->m, c->n, a, pivots);
  return sum + weighted(z);
}
static double gesv_by_loops(ARGUMENTS) {
  COPY;
  int pivots[most];
  double sum = factor(c, c->n, c->n, a, pivots);
  for (int j = 0; j < c->m; ++j)
    solve_factored(c, a, pivots, &B(0, j), c->by_rows ? ld : 1);
  return sum + weighted(z);
}
static double getri_by_loops(ARGUMENTS) {
  COPY;
  int pivots[most];
  double old[size], x[most];
  factor(c, c->n, c->n, a, pivots);
  memcpy(old, a, sizeof old);
  for (int j = 0; j < c->n; ++j) {
    for (int i = 0; i < c->n; ++i)
      x[i] = i == j;
    solve_factored(c, old, pivots, x, 1);
    for (int i = 0; i < c->n; ++i)
      A(i, j) = x[i];
  }
  return weighted(z);
}

//===----------------------------------------------------------------------===//
// Copies and norms
//===----------------------------------------------------------------------===//

static double copies_by_loops(ARGUMENTS) {
  COPY;
  for (int i = 0; i < c->m; ++i)
    for (int j = 0; j < c->n; ++j)
      if (c->uplo == 'L' ? i >= j : c->uplo != 'U' || i <= j) {
        B(i, j) = A(i, j);
        A(i, j) = i == j ? in[3] : in[5];
      }
  return weighted(z);
}
// In trans: which norm.
static double lange_by_loops(ARGUMENTS) {
  COPY;
  double frobenius = 0, largest = 0, by_sums = 0;
  for (int i = 0; i < c->m; ++i)
    for (int j = 0; j < c->n; ++j) {
      frobenius += A(i, j) * A(i, j);
      largest = fmax(largest, fabs(A(i, j)));
    }
  int columns = c->trans == '1', outer = columns ? c->n : c->m;
  for (int k = 0; k < outer; ++k) {
    double sum = 0;
    for (int l = 0; l < c->m + c->n - outer; ++l)
      sum += fabs(columns ? A(l, k) : A(k, l));
    by_sums = fmax(by_sums, sum);
  }
  return c->trans == 'F'   ? sqrt(frobenius)
         : c->trans == 'M' ? largest
                           : by_sums;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

static double input[total], direction[total], g[total], h[total];

static void compare(double value, double tangent, double wanted) {
  double sum = 0, largest = 1;
  for (int i = 0; i < total; ++i)
    largest = fmax(largest, fabs(h[i]));
  for (int i = 0; i < total; ++i) {
    CHECK_CLOSE(g[i] / largest, h[i] / largest, 1e-11);
    sum += g[i] * direction[i];
    g[i] = h[i] = 0;
  }
  CHECK_CLOSE(value, wanted, 1e-12);
  CHECK_CLOSE(tangent / largest, sum / largest, 1e-10);
}

#define COMPARE(CALLS, C)                                                      \
  do {                                                                         \
    double value = __verso_value_and_grad(CALLS, verso_dup, input, g,          \
                                          verso_const, &C);                    \
    double wanted = __verso_value_and_grad(CALLS##_by_loops, verso_dup, input, \
                                           h, verso_const, &C);                \
    double tangent = __verso_jvp(CALLS, verso_dup, input, direction,           \
                                 verso_const, &C);                             \
    compare(value, tangent, wanted);                                           \
  } while (0)

// With `dominant` on the diagonal of A.
static void fill(double dominant) {
  for (int i = 0; i < total; ++i) {
    input[i] = 0.2 * sin(1 + 0.37 * i * i);
    if (i < size && i % (ld + 1) == 0)
      input[i] += dominant;
    direction[i] = 0.1 * cos(0.7 * i * i);
  }
}
