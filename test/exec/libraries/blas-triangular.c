//===- blas-triangular.c - triangular and symmetric matrices of BLAS ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LIBS: -Wl,--unresolved-symbols=ignore-all
// LIBS: -Wl,--defsym=dgemm_=dgemm_by_loops
// LIBS: -Wl,--defsym=sgemm_=sgemm_by_loops
// LIBS: -Wl,--defsym=cblas_dgemm=dgemm_of_c_by_loops
// LIBS: -Wl,--defsym=cblas_sgemm=sgemm_of_c_by_loops
// UNCHECKED: the functions themselves are not linked, and the check runs them
//
// Each call is compared with plain loops: value, gradient and tangent, for
// every order, side, triangle, transpose and diagonal, of matrices smaller and
// larger than a block. All that a call has been given is weighed, so that the
// other triangle and what lies between columns has to stay as it was.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include "gemm_by_loops.h"
#include <stddef.h>

double __verso_value_and_grad(void *, ...);
double __verso_jvp(void *, ...);

void cblas_dsymv(int, int, int, double, const double *, int, const double *,
                 int, double, double *, int);
void cblas_dsyr(int, int, int, double, const double *, int, double *, int);
void cblas_dsyr2(int, int, int, double, const double *, int, const double *,
                 int, double *, int);
void cblas_dtrmv(int, int, int, int, int, const double *, int, double *, int);
void cblas_dtrsv(int, int, int, int, int, const double *, int, double *, int);
void cblas_dsymm(int, int, int, int, int, double, const double *, int,
                 const double *, int, double, double *, int);
void cblas_dsyrk(int, int, int, int, int, double, const double *, int, double,
                 double *, int);
void cblas_dsyr2k(int, int, int, int, int, double, const double *, int,
                  const double *, int, double, double *, int);
void cblas_dtrmm(int, int, int, int, int, int, int, double, const double *, int,
                 double *, int);
void cblas_dtrsm(int, int, int, int, int, int, int, double, const double *, int,
                 double *, int);
void cblas_strsm(int, int, int, int, int, int, int, float, const float *, int,
                 float *, int);
// As a C program declares them, as f2c does, and with the lengths of text.
void dsymv_(const char *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *,
            const int *);
void dsyr_(const char *, const int *, const double *, const double *,
           const int *, double *, const int *);
int dsyr2_(const char *, const int *, const double *, const double *,
           const int *, const double *, const int *, double *, const int *);
void dtrmv_(const char *, const char *, const char *, const int *,
            const double *, const int *, double *, const int *);
void dtrsv_(const char *, const char *, const char *, const int *,
            const double *, const int *, double *, const int *, size_t, size_t,
            size_t);
void dsymm_(const char *, const char *, const int *, const int *,
            const double *, const double *, const int *, const double *,
            const int *, const double *, double *, const int *);
int dsyrk_(const char *, const char *, const int *, const int *, const double *,
           const double *, const int *, const double *, double *, const int *);
void dsyr2k_(const char *, const char *, const int *, const int *,
             const double *, const double *, const int *, const double *,
             const int *, const double *, double *, const int *, size_t,
             size_t);
void dtrmm_(const char *, const char *, const char *, const char *, const int *,
            const int *, const double *, const double *, const int *, double *,
            const int *);
void dtrsm_(const char *, const char *, const char *, const char *, const int *,
            const int *, const double *, const double *, const int *, double *,
            const int *, size_t, size_t, size_t, size_t);

enum { by_rows = 101, by_columns = 102, plain = 111, turned = 112 };
enum { upper = 121, lower = 122, nonunit = 131, unit = 132 };
enum { left = 141, right = 142 };

// Three matrices, with `ld` numbers from row to row, or from column to column.
enum { most = 70, ld = 73, size = ld * ld, total = 3 * size };

struct call {
  int order, side, uplo, trans, diag, m, n, fortran;
  double alpha, beta;
};

static int at(const struct call *c, int i, int j) {
  return c->order == by_rows ? i * ld + j : i + j * ld;
}

// Places of the whole square that a call may know of, and no more.
static double weighted(const struct call *c, const double *x) {
  double sum = 0;
  int most = c->m > c->n ? c->m + 2 : c->n + 2;
  most = most < 18 ? 18 : most;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < most; ++i)
      for (int j = 0; j < most; ++j) {
        double e = x[k * size + i * ld + j];
        sum += (0.3 + 0.7 * ((i + 2 * j) % 5)) * e * e;
      }
  return sum;
}

static const char *text(int value) {
  static const char *const of[] = {"u", "L", "N", "U", "l", "R"};
  return value == plain ? "n"
         : value == turned
             ? "T"
             : of[(value - upper) / 10 * 2 + (value - upper) % 10];
}

// Element of op(A), of the triangle, or of the symmetric matrix.
static double triangular(const struct call *c, const double *a, int i, int j) {
  if (i == j && c->diag == unit)
    return 1;
  int row = c->trans == plain ? i : j, column = c->trans == plain ? j : i;
  if (c->uplo == lower ? row < column : row > column)
    return 0;
  return a[at(c, row, column)];
}
static double symmetric(const struct call *c, const double *a, int i, int j) {
  return (c->uplo == lower) == (i > j) ? a[at(c, i, j)] : a[at(c, j, i)];
}

#define ARGUMENTS const double *in, const struct call *c
#define COPY                                                                   \
  double z[total], *a = z, *b = z + size, *x = z + 2 * size;                   \
  memcpy(z, in, sizeof z);                                                     \
  (void)a, (void)b, (void)x
#define ROWS const int rows = ld
#define TEXTS text(c->side), text(c->uplo), text(c->trans), text(c->diag)
#define VALUES c->order, c->side, c->uplo, c->trans, c->diag

static double solve(ARGUMENTS) {
  COPY;
  ROWS;
  if (c->fortran)
    dtrsm_(TEXTS, &c->m, &c->n, &c->alpha, a, &rows, b, &rows, 1, 1, 1, 1);
  else
    cblas_dtrsm(VALUES, c->m, c->n, c->alpha, a, ld, b, ld);
  return weighted(c, z);
}
static double solve_by_loops(ARGUMENTS) {
  COPY;
  int many = c->side == left ? c->m : c->n, others = c->m + c->n - many;
  // op(A) of a system from the right is passed through the other way.
  int forward =
      ((c->uplo == lower) == (c->trans == plain)) == (c->side == left);
  for (int r = 0; r < others; ++r)
    for (int k = 0; k < many; ++k) {
      int i = forward ? k : many - 1 - k;
      double *e = &b[c->side == left ? at(c, i, r) : at(c, r, i)];
      double sum = c->alpha * *e;
      for (int l = 0; l < k; ++l) {
        int j = forward ? l : many - 1 - l;
        sum -= c->side == left ? triangular(c, a, i, j) * b[at(c, j, r)]
                               : triangular(c, a, j, i) * b[at(c, r, j)];
      }
      *e = sum / triangular(c, a, i, i);
    }
  return weighted(c, z);
}

static double multiply(ARGUMENTS) {
  COPY;
  ROWS;
  if (c->fortran)
    dtrmm_(TEXTS, &c->m, &c->n, &c->alpha, a, &rows, b, &rows);
  else
    cblas_dtrmm(VALUES, c->m, c->n, c->alpha, a, ld, b, ld);
  return weighted(c, z);
}
static double multiply_by_loops(ARGUMENTS) {
  COPY;
  double old[size];
  memcpy(old, b, sizeof old);
  for (int i = 0; i < c->m; ++i)
    for (int j = 0; j < c->n; ++j) {
      double sum = 0;
      if (c->side == left)
        for (int l = 0; l < c->m; ++l)
          sum += triangular(c, a, i, l) * old[at(c, l, j)];
      else
        for (int l = 0; l < c->n; ++l)
          sum += old[at(c, i, l)] * triangular(c, a, l, j);
      b[at(c, i, j)] = c->alpha * sum;
    }
  return weighted(c, z);
}

static double symm(ARGUMENTS) {
  COPY;
  ROWS;
  if (c->fortran)
    dsymm_(text(c->side), text(c->uplo), &c->m, &c->n, &c->alpha, a, &rows, b,
           &rows, &c->beta, x, &rows);
  else
    cblas_dsymm(c->order, c->side, c->uplo, c->m, c->n, c->alpha, a, ld, b, ld,
                c->beta, x, ld);
  return weighted(c, z);
}
static double symm_by_loops(ARGUMENTS) {
  COPY;
  for (int i = 0; i < c->m; ++i)
    for (int j = 0; j < c->n; ++j) {
      double sum = 0, *e = &x[at(c, i, j)];
      if (c->side == left)
        for (int l = 0; l < c->m; ++l)
          sum += symmetric(c, a, i, l) * b[at(c, l, j)];
      else
        for (int l = 0; l < c->n; ++l)
          sum += b[at(c, i, l)] * symmetric(c, a, l, j);
      *e = c->alpha * sum + (c->beta == 0 ? 0 : c->beta * *e);
    }
  return weighted(c, z);
}

// x is m by m, the sums have n terms.
static double rank(ARGUMENTS, int twice) {
  COPY;
  ROWS;
  if (c->fortran && twice)
    dsyr2k_(text(c->uplo), text(c->trans), &c->m, &c->n, &c->alpha, a, &rows, b,
            &rows, &c->beta, x, &rows, 1, 1);
  else if (c->fortran)
    dsyrk_(text(c->uplo), text(c->trans), &c->m, &c->n, &c->alpha, a, &rows,
           &c->beta, x, &rows);
  else if (twice)
    cblas_dsyr2k(c->order, c->uplo, c->trans, c->m, c->n, c->alpha, a, ld, b,
                 ld, c->beta, x, ld);
  else
    cblas_dsyrk(c->order, c->uplo, c->trans, c->m, c->n, c->alpha, a, ld,
                c->beta, x, ld);
  return weighted(c, z);
}
static double rank_by_loops(ARGUMENTS, int twice) {
  COPY;
  for (int i = 0; i < c->m; ++i)
    for (int j = 0; j < c->m; ++j) {
      if (c->uplo == lower ? i < j : i > j)
        continue;
      double sum = 0, *e = &x[at(c, i, j)];
      for (int l = 0; l < c->n; ++l) {
        int p = c->trans == plain ? at(c, i, l) : at(c, l, i);
        int q = c->trans == plain ? at(c, j, l) : at(c, l, j);
        sum += twice ? a[p] * b[q] + b[p] * a[q] : a[p] * a[q];
      }
      *e = c->alpha * sum + (c->beta == 0 ? 0 : c->beta * *e);
    }
  return weighted(c, z);
}

static int place(int n, int i, int step) {
  return step > 0 ? i * step : (i + 1 - n) * step;
}

// Of vectors: beta x' + alpha A x, A + alpha x x', A + alpha (x y' + y x'), A
// x, A^-1 x.
static double vectors(ARGUMENTS, int p, int q) {
  COPY;
  ROWS;
  double *y = b + ld;
  const char *uplo = text(c->uplo), *trans = text(c->trans);
  if (c->fortran) {
    dsymv_(uplo, &c->m, &c->alpha, a, &rows, b, &p, &c->beta, y, &q);
    dsyr_(uplo, &c->m, &c->alpha, b, &p, a, &rows);
    dsyr2_(uplo, &c->m, &c->alpha, b, &p, y, &q, a, &rows);
    dtrmv_(uplo, trans, text(c->diag), &c->m, a, &rows, y, &q);
    dtrsv_(uplo, trans, text(c->diag), &c->m, a, &rows, b, &p, 1, 1, 1);
  } else {
    cblas_dsymv(c->order, c->uplo, c->m, c->alpha, a, ld, b, p, c->beta, y, q);
    cblas_dsyr(c->order, c->uplo, c->m, c->alpha, b, p, a, ld);
    cblas_dsyr2(c->order, c->uplo, c->m, c->alpha, b, p, y, q, a, ld);
    cblas_dtrmv(c->order, c->uplo, c->trans, c->diag, c->m, a, ld, y, q);
    cblas_dtrsv(c->order, c->uplo, c->trans, c->diag, c->m, a, ld, b, p);
  }
  return weighted(c, z);
}
static double vectors_by_loops(ARGUMENTS, int p, int q) {
  COPY;
  double *y = b + ld, old[most];
  int m = c->m, forward = (c->uplo == lower) == (c->trans == plain);
#define X(I) b[place(m, I, p)]
#define Y(I) y[place(m, I, q)]
  for (int i = 0; i < m; ++i) {
    double sum = 0;
    for (int j = 0; j < m; ++j)
      sum += symmetric(c, a, i, j) * X(j);
    Y(i) = c->alpha * sum + (c->beta == 0 ? 0 : c->beta * Y(i));
  }
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j)
      if (c->uplo == lower ? i >= j : i <= j)
        a[at(c, i, j)] += c->alpha * (X(i) * X(j) + X(i) * Y(j) + Y(i) * X(j));
  for (int i = 0; i < m; ++i)
    old[i] = Y(i);
  for (int i = 0; i < m; ++i) {
    Y(i) = 0;
    for (int j = 0; j < m; ++j)
      Y(i) += triangular(c, a, i, j) * old[j];
  }
  for (int k = 0; k < m; ++k) {
    int i = forward ? k : m - 1 - k;
    double sum = X(i);
    for (int l = 0; l < k; ++l) {
      int j = forward ? l : m - 1 - l;
      sum -= triangular(c, a, i, j) * X(j);
    }
    X(i) = sum / triangular(c, a, i, i);
  }
  return weighted(c, z);
}

// What beta = 0 multiplies, and the other triangle, is not read.
static double unread(const double *x) {
  double a[4] = {x[0], x[1], NAN, x[2]}, c[4] = {NAN, NAN, NAN, NAN};
  cblas_dsymm(by_columns, left, lower, 2, 2, 1, a, 2, x, 2, 0, c, 2);
  double sum = c[0] + c[1] + c[2] + c[3];
  c[1] = NAN;
  cblas_dsyrk(by_columns, upper, plain, 2, 2, 1, x, 2, 0, c, 2);
  return sum + c[0] + c[2] + c[3];
}
static float single(const float *x) {
  float y[2] = {x[2], x[3]};
  cblas_strsm(by_columns, left, lower, plain, unit, 2, 1, 1, x, 2, y, 2);
  return y[1];
}

static double input[total], direction[total], g[total], h[total];

static void compare(double value, double tangent, double wanted) {
  double sum = 0, size = fabs(wanted) + 1;
  for (int i = 0; i < total; ++i) {
    CHECK_CLOSE(g[i], h[i], 1e-12 * size);
    sum += g[i] * direction[i];
    g[i] = h[i] = 0;
  }
  CHECK_CLOSE(value, wanted, 1e-13 * size);
  CHECK_CLOSE(tangent, sum, 1e-12 * size);
}

#define COMPARE(CALLS, ...)                                                    \
  do {                                                                         \
    double value =                                                             \
        __verso_value_and_grad(CALLS, verso_dup, input, g, __VA_ARGS__);       \
    double wanted = __verso_value_and_grad(CALLS##_by_loops, verso_dup, input, \
                                           h, __VA_ARGS__);                    \
    double tangent =                                                           \
        __verso_jvp(CALLS, verso_dup, input, direction, __VA_ARGS__);          \
    compare(value, tangent, wanted);                                           \
  } while (0)

int main(void) {
  for (int i = 0; i < total; ++i) {
    input[i] = 0.3 * sin(1 + 2.3 * i);
    if (i < size && i % (ld + 1) == 0)
      input[i] += 2;
    direction[i] = 0.1 * cos(0.7 * i * i);
  }
  static const double factors[] = {0, 1, -1.5};
  for (int k = 0; k < 256; ++k) {
    int large = k >> 7;
    struct call c = {by_rows + (k & 1),      left + (k >> 1 & 1),
                     upper + (k >> 2 & 1),   plain + (k >> 3 & 1),
                     nonunit + (k >> 4 & 1), large ? most : 5,
                     large ? 34 : 3,         k >> 5 & 1,
                     factors[k % 3],         factors[k / 3 % 3]};
    if ((large && k >> 5 & 2) || (c.fortran && c.order == by_rows))
      continue;
    COMPARE(solve, verso_const, &c);
    COMPARE(multiply, verso_const, &c);
    if (c.diag == unit && c.trans == plain)
      COMPARE(symm, verso_const, &c);
    if (c.diag == unit && c.side == left) {
      COMPARE(rank, verso_const, &c, verso_const, 0);
      COMPARE(rank, verso_const, &c, verso_const, 1);
    }
    static const int steps[] = {1, 2, -1, -3};
    if (!large)
      COMPARE(vectors, verso_const, &c, verso_const, steps[k / 2 % 4],
              verso_const, steps[k / 8 % 4]);
  }

  double x[4] = {1, 2, 3, 4}, d[4] = {0};
  // A = (1 2; 2 3), B = (1 3; 2 4): sums of A B, and of the triangle of B B'.
  CHECK_EQUAL(__verso_value_and_grad(unread, verso_dup, x, d),
              5 + 8 + 11 + 18 + 10 + 14 + 20);
  CHECK_EQUAL(d[3], 2 + 3 + 3 + 8);
  float f[4] = {1, 2, 3, 4}, df[4] = {0};
  f[1] = 0.5f;
  CHECK_EQUAL((__verso_grad_float(single, verso_dup, f, df), df[1]), -3);
  return check_status();
}
