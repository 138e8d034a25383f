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
#include "gemm_by_loops.h"
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
// QR
//===----------------------------------------------------------------------===//

// Of a matrix with steps from row to row and from column to column.
static void reflectors(int m, int n, double *a, int row, int column,
                       double *tau) {
  for (int k = 0; k < m && k < n; ++k) {
    double *x = a + k * (row + column), sum = 0;
    tau[k] = 0;
    for (int i = k + 1; i < m; ++i)
      sum += x[(i - k) * row] * x[(i - k) * row];
    if (sum == 0)
      continue;
    double beta = sqrt(sum + x[0] * x[0]), first = x[0];
    beta = first < 0 ? beta : -beta;
    tau[k] = (beta - first) / beta;
    for (int i = 1; i < m - k; ++i)
      x[i * row] /= first - beta;
    x[0] = beta;
    for (int j = 1; j < n - k; ++j) {
      double dot = x[j * column];
      for (int i = 1; i < m - k; ++i)
        dot += x[i * row] * x[i * row + j * column];
      x[j * column] -= tau[k] * dot;
      for (int i = 1; i < m - k; ++i)
        x[i * row + j * column] -= tau[k] * dot * x[i * row];
    }
  }
}
static void reflect(int transpose, int m, int k, const double *a, int row,
                    int column, const double *tau, double *x, int step) {
  for (int l = 0; l < k; ++l) {
    int j = transpose ? l : k - 1 - l;
    double dot = x[j * step];
    for (int i = j + 1; i < m; ++i)
      dot += a[i * row + j * column] * x[i * step];
    x[j * step] -= tau[j] * dot;
    for (int i = j + 1; i < m; ++i)
      x[i * step] -= tau[j] * dot * a[i * row + j * column];
  }
}
#define ROW (c->by_rows ? ld : 1)
#define COLUMN (c->by_rows ? 1 : ld)
static double of_tau(const double *tau, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * tau[i];
  return sum;
}
static double geqrf_by_loops(ARGUMENTS) {
  COPY;
  double tau[most];
  reflectors(c->m, c->n, a, ROW, COLUMN, tau);
  return of_tau(tau, c->m < c->n ? c->m : c->n) + weighted(z);
}
// Q has m rows, n columns and as many reflectors, as tau the last column of B.
static double orgqr_by_loops(ARGUMENTS) {
  COPY;
  double old[size];
  memcpy(old, a, sizeof old);
  for (int j = 0; j < c->n; ++j) {
    for (int i = 0; i < c->m; ++i)
      A(i, j) = i == j;
    reflect(0, c->m, c->n, old, ROW, COLUMN, b + (ld - 1) * ld, &A(0, j), ROW);
  }
  return weighted(z);
}
// B is m by n; n reflectors from the left (uplo is 'L'), m from the right.
static double ormqr_by_loops(ARGUMENTS) {
  COPY;
  const double *tau = in + size + (ld - 1) * ld;
  int is_left = c->uplo == 'L', transpose = c->trans != 'N';
  int k = c->m < c->n ? c->m : c->n;
  for (int j = 0; j < (is_left ? c->n : c->m); ++j)
    reflect(transpose == is_left, is_left ? c->m : c->n, k, a, ROW, COLUMN, tau,
            is_left ? &B(0, j) : &B(j, 0), is_left ? ROW : COLUMN);
  return weighted(z);
}
static double gels_by_loops(ARGUMENTS) {
  COPY;
  int wide = c->m < c->n, transpose = (c->trans != 'N') != wide;
  int m = wide ? c->n : c->m, n = wide ? c->m : c->n;
  int row = wide ? COLUMN : ROW, column = wide ? ROW : COLUMN;
  double tau[most];
  reflectors(m, n, a, row, column, tau);
  for (int r = 0; r < 4; ++r) {
    double *x = &B(0, r);
    if (!transpose)
      reflect(1, m, n, a, row, column, tau, x, ROW);
    for (int k = 0; k < n; ++k) {
      int i = transpose ? k : n - 1 - k;
      double sum = x[i * ROW];
      for (int l = 0; l < k; ++l) {
        int j = transpose ? l : n - 1 - l;
        sum -= a[transpose ? j * row + i * column : i * row + j * column] *
               x[j * ROW];
      }
      x[i * ROW] = sum / a[i * (row + column)];
    }
    if (transpose) {
      for (int i = n; i < m; ++i)
        x[i * ROW] = 0;
      reflect(0, m, n, a, row, column, tau, x, ROW);
    }
  }
  return weighted(z);
}

//===----------------------------------------------------------------------===//
// Few diagonals, in the rows of A: as LAPACK has a band of two diagonals below
// and one above. The tridiagonal ones are A's lowest row but one to lowest but
// three.
//===----------------------------------------------------------------------===//

static double of_solution(const double *z) {
  double sum = 0;
  for (int i = size; i < total; ++i)
    sum += (0.3 + 0.7 * (i % 5)) * z[i] * z[i];
  return sum;
}
static double dense_by_loops(ARGUMENTS, int below, int above, int symmetric) {
  COPY;
  double full[size] = {0};
  struct call whole = *c;
  int pivots[most];
  for (int i = 0; i < c->n; ++i)
    for (int j = 0; j < c->n; ++j)
      if (i - j <= below && j - i <= above)
        full[at(c, i, j)] =
            (symmetric && i > j ? A(3 + j - i, i) : A(3 + i - j, j)) +
            (symmetric && i == j);
  whole.trans = 'N';
  factor(&whole, c->n, c->n, full, pivots);
  for (int j = 0; j < c->m; ++j)
    solve_factored(&whole, full, pivots, &B(0, j), ROW);
  return of_solution(z);
}
static double gtsv_by_loops(ARGUMENTS) {
  return dense_by_loops(in, c, 1, 1, 0);
}
static double ptsv_by_loops(ARGUMENTS) {
  return dense_by_loops(in, c, 1, 1, 1);
}
static double gbsv_by_loops(ARGUMENTS) {
  return dense_by_loops(in, c, 2, 1, 0);
}

// The diagonals below, on and above, as columns of their own.
static void take_diagonals(const struct call *c, const double *a, double *below,
                           double *on, double *above) {
  for (int j = 0; j < c->n; ++j) {
    on[j] = A(3, j);
    if (j + 1 < c->n)
      below[j] = A(4, j), above[j] = A(2, j + 1);
  }
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
    double value =                                                             \
        __verso_value_and_grad(CALLS, verso_dup, input, g, verso_const, &C);   \
    double wanted = __verso_value_and_grad(CALLS##_by_loops, verso_dup, input, \
                                           h, verso_const, &C);                \
    double tangent =                                                           \
        __verso_jvp(CALLS, verso_dup, input, direction, verso_const, &C);      \
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
