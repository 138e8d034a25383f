//===- int-indices.cpp - cells by indices in int, rows in vectors ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is loaded again because its cells are known: indices of products, sums
// and shifts in `int`, forwards and backwards, by members and captures, in
// numbers of which some wrap around by right (unsigned) and some are negative;
// choices of i and j where they are equal, and where they are not; tables of
// rows that are loaded in the nest under a condition, from a matrix that may be
// empty, and tables that the program exchanges. Compared with forward mode.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <cmath>
#include <vector>

extern "C" double __verso_jvp(void *, ...);

constexpr int N = 5;

CHECK_NOINLINE static double cholesky(double *a, int n) {
  double s = 0;
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++)
      for (int i = j; i < n; i++)
        a[i * n + j] -= a[i * n + k] * a[j * n + k];
    a[j * n + j] = std::sqrt(a[j * n + j]);
    for (int i = j + 1; i < n; i++)
      a[i * n + j] /= a[j * n + j];
    s += 2 * std::log(a[j * n + j]);
  }
  return s;
}
/// From the end, the columns first.
CHECK_NOINLINE static double backwards(double *a, int n) {
  for (int j = n - 1; j >= 0; j--)
    for (int i = n - 1; i > j; i--)
      a[j * n + (n - 1 - i)] *= a[(n - 1 - j) * n + i] - 1;
  double s = 0;
  for (int i = 0; i < n * n; i++)
    s += a[i] * (i % 3);
  return s;
}
/// Each row twice as long as the one before.
CHECK_NOINLINE static double shifted(double *a, int n) {
  double s = 0;
  for (int i = 0; i < n - 1; i++)
    for (int j = 0; j < (1 << i); j++) {
      a[(1 << i) + j] *= a[(1 << i) - 1];
      s += a[(1 << i) + j] * a[(i << 1) + j % 2];
    }
  return s;
}
/// Indices that go around below zero.
CHECK_NOINLINE static double around(double *a, int n) {
  double s = 0;
  for (unsigned i = 0; i < unsigned(n); i++)
    for (unsigned j = 0; j < unsigned(n); j++) {
      unsigned to = (i - j) * unsigned(n) + j;
      a[to % unsigned(n * n + !n)] *= a[i * n + j] + 0.5;
      s += a[(j - i) % 4u] * a[j];
    }
  return s;
}
struct Grid {
  double *data;
  int rows, columns, first;
  double &at(int i, int j) const { return data[(i - first) * columns + j]; }
};
CHECK_NOINLINE static double byMembers(double *a, int n) {
  Grid g{a, n, n, -2};
  double s = 0;
  for (int i = -2; i < n - 2; i++)
    for (int j = 1; j < n; j++) {
      g.at(i, j) += g.at(i, j - 1) * g.at(i, 0);
      if (i > -2)
        s += g.at(i - 1, j) * g.at(i, j);
    }
  auto captured = [&](int i, int j) -> double & { return a[i * n + j]; };
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++)
      s += captured(i, j) *= captured(j, i);
  return s;
}
CHECK_NOINLINE static double diagonal(double *a, int n) {
  double l[N * N] = {};
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = a[i * n + j];
      for (int k = 0; k < j; k++)
        sum -= l[i * n + k] * l[j * n + k];
      if (i == j)
        l[i * n + i] = std::sqrt(sum + 4);
      else
        l[i * n + j] = sum / l[j * n + j];
    }
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      // On one way alone the two are equal.
      s += i != j ? l[i * n + j] * a[j * n + i] : l[j * n + i] * (i + 1);
  return s;
}

typedef std::vector<std::vector<double>> Matrix;
static Matrix matrix(const double *a, int n) {
  Matrix m(n, std::vector<double>(n));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      m[i][j] = a[i * n + j];
  return m;
}
static double inPlace(Matrix &a, int n) {
  double s = 0;
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++)
      for (int i = j; i < n; i++)
        a[i][j] -= a[i][k] * a[j][k];
    a[j][j] = std::sqrt(a[j][j]);
    for (int i = j + 1; i < n; i++)
      a[i][j] /= a[j][j];
    s += 2 * std::log(a[j][j]);
  }
  return s;
}
CHECK_NOINLINE static double rows(double *a, int n) {
  Matrix m = matrix(a, n);
  return inPlace(m, n);
}
CHECK_NOINLINE static double fresh(double *a, int n) {
  Matrix m = matrix(a, n), l(n, std::vector<double>(n, 0.0));
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = m[i][j];
      for (int k = 0; k < j; k++)
        sum -= l[i][k] * l[j][k];
      if (i == j)
        l[i][i] = std::sqrt(sum);
      else
        l[i][j] = sum / l[j][j];
    }
  double s = 0;
  for (int i = 0; i < n; i++)
    s += l[i][i] * l[n - 1][i];
  return s;
}
/// The table is another one after each step.
CHECK_NOINLINE static double exchanged(double *a, int n) {
  Matrix m = matrix(a, n), next = m;
  for (int t = 0; t < 3; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        next[i][j] = m[i][j] * (m[i - 1][j] + m[i][j - 1]) + m[i + 1][j];
    m.swap(next);
  }
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += m[i][j] * next[j][i];
  return s;
}
struct Owner {
  Matrix *matrix;
  int count;
};
/// Read only where there is one, and released in between.
CHECK_NOINLINE static double owned(double *a, int n) {
  Owner o{n ? new Matrix(matrix(a, n)) : nullptr, 0};
  double s = 0;
  if (o.matrix)
    s = (*o.matrix)[0][0];
  if (n % 2) {
    delete o.matrix;
    o.matrix = nullptr;
  }
  for (int i = 0; i < n; i++)
    if (o.matrix)
      for (int j = 0; j < i; j++)
        (*o.matrix)[i][j] *= (*o.matrix)[j][i] + (*o.matrix)[i][i], o.count++;
  if (o.matrix)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        s += (*o.matrix)[i][j] * (i + 2 * j + o.count);
  delete o.matrix;
  return s;
}

typedef double Function(double *, int);
static void check(Function *f, int n) {
  double x[N * N], dx[N * N] = {}, v[N * N], primal[N * N];
  for (int i = 0; i < N * N; i++) {
    x[i] = 0.3 + 0.1 * ((i * 7) % 11) + (i % (n + 1) == 0 ? n + 1 : 0);
    v[i] = 0.5 - 0.2 * ((i * 5) % 7);
    primal[i] = x[i];
  }
  __verso_grad_void((void *)f, verso_dup, primal, dx, verso_const, n);
  for (int i = 0; i < N * N; i++)
    primal[i] = x[i];
  double expected =
             __verso_jvp((void *)f, verso_dup, primal, v, verso_const, n),
         got = 0;
  // Forward mode leaves tangents of what is overwritten in v.
  for (int i = 0; i < N * N; i++)
    got += dx[i] * (0.5 - 0.2 * ((i * 5) % 7));
  CHECK_CLOSE(got, expected, 1e-12);
}

int main() {
  for (int n = 0; n <= N; n++) {
    check(cholesky, n);
    check(backwards, n);
    check(shifted, n);
    check(around, n);
    check(byMembers, n);
    check(diagonal, n);
    check(rows, n);
    if (n)
      check(fresh, n);
    check(exchanged, n);
    check(owned, n);
  }
  return check_status();
}
