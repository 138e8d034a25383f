//===- matrices.c - arrays of arrays --------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix products, a transposition in place, a Gaussian elimination with
// pivoting and a Cholesky factorisation, on local and on duplicated matrices.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { N = 4 };

CHECK_NOINLINE static double determinant(const double in[N][N]) {
  double a[N][N], det = 1;
  memcpy(a, in, sizeof a);
  for (int k = 0; k < N; ++k) {
    int pivot = k;
    for (int i = k + 1; i < N; ++i)
      if (fabs(a[i][k]) > fabs(a[pivot][k]))
        pivot = i;
    if (pivot != k) {
      for (int j = 0; j < N; ++j) {
        double t = a[k][j];
        a[k][j] = a[pivot][j];
        a[pivot][j] = t;
      }
      det = -det;
    }
    det *= a[k][k];
    for (int i = k + 1; i < N; ++i) {
      double factor = a[i][k] / a[k][k];
      for (int j = k; j < N; ++j)
        a[i][j] -= factor * a[k][j];
    }
  }
  return det;
}
CHECK_NOINLINE static void transpose(double a[N][N]) {
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < i; ++j) {
      double t = a[i][j];
      a[i][j] = a[j][i];
      a[j][i] = t;
    }
}
CHECK_NOINLINE static double log_determinant(double a[N][N]) {
  double sum = 0;
  for (int j = 0; j < N; ++j) {
    for (int k = 0; k < j; ++k)
      for (int i = j; i < N; ++i)
        a[i][j] -= a[i][k] * a[j][k];
    double root = sqrt(a[j][j]);
    for (int i = j; i < N; ++i)
      a[i][j] /= root;
    sum += 2 * log(root);
  }
  return sum;
}
static double determinant_of(double *x) {
  return determinant((const double(*)[N])x);
}
static double log_determinant_of(double *x) {
  return log_determinant((double(*)[N])x);
}

int main(void) {
  double a[N][N] = {{1, 5, 2, 0}, {3, 1, 1, 4}, {2, 2, 7, 1}, {9, 1, 0, 3}};
  double da[N][N] = {{0}};
  __verso_grad_void(determinant, verso_dup, a, da);
  CHECK_GRADIENT(determinant_of, N * N, &a[0][0], &da[0][0], 1e-8);

  double dt[N][N];
  for (int i = 0; i < N * N; ++i)
    dt[i / N][i % N] = i;
  __verso_vjp_void(transpose, verso_dup, a, dt);
  for (int i = 0; i < N * N; ++i)
    CHECK_EQUAL(dt[i % N][i / N], i);

  double s[N][N] = {{4, 1, 0, 1}, {1, 5, 2, 0}, {0, 2, 6, 1}, {1, 0, 1, 7}};
  double copy[N][N], ds[N][N] = {{0}};
  memcpy(copy, s, sizeof s);
  __verso_grad_void(log_determinant, verso_dup, copy, ds);
  CHECK_GRADIENT(log_determinant_of, N * N, &s[0][0], &ds[0][0], 1e-8);
  return check_status();
}
