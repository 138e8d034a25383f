//===- released-in-loops.cpp - rows that the verso still reads ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Destructors of vectors of vectors, which release in loops, and loops that
// release by free and by every other delete; with blocks in between that an
// iteration allocates and releases. The verso reads what was in them, nothing
// is left behind, and nothing is released twice, also where an exception
// leaves the request, by a throw of its own or of a function that it calls.
//
//===----------------------------------------------------------------------===//
// STRATEGY: structured

#include "../check.h"
#include <cmath>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <stdexcept>
#include <vector>

typedef std::vector<std::vector<double>> Matrix;
constexpr int N = 30;

CHECK_NOINLINE static void refuse(int n) {
  if (n > N)
    throw std::runtime_error("too many");
}

CHECK_NOINLINE static double destructors(const double *x, int n, int way) {
  double s = 0;
  {
    Matrix m(n, std::vector<double>(n));
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        m[i][j] = std::sin(x[i]) * x[j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        s += m[i][j] * m[j][i];
  }
  Matrix ragged;
  for (int i = 0; i < n; i++) {
    std::vector<double> row(i % 3, x[i] * s);
    ragged.push_back(row);
  }
  for (const std::vector<double> &row : ragged)
    for (double y : row)
      s += y * y;
  if (way == 1)
    throw 1;
  refuse(way == 2 ? n + N : n);
  return s;
}

CHECK_NOINLINE static double releases(const double *x, int n, int way) {
  double *by[4][N];
  for (int i = 0; i < n; i++) {
    by[0][i] = static_cast<double *>(malloc(3 * sizeof(double)));
    by[1][i] = new double[2];
    by[2][i] = new double;
    by[3][i] = static_cast<double *>(
        ::operator new(2 * sizeof(double), std::align_val_t(64)));
  }
  double s = 0;
  for (int i = 0; i < n; i++) {
    double *other = new double[4];
    for (int k = 0; k < 4; k++)
      by[k][i][0] = other[k] = std::exp(x[i] * (k + 1)) * x[(i + k) % n];
    s += other[1] * other[2] * by[0][i][0];
    delete[] other;
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 4; k++)
      s += by[k][i][0] * by[(k + 1) % 4][n - 1 - i][0];
  if (way == 2)
    refuse(n + N);
  for (int i = 0; i < n; i++) {
    free(by[0][i]);
    delete[] by[1][i];
    if (i % 2)
      delete by[2][i];
    ::operator delete(by[3][i], 2 * sizeof(double), std::align_val_t(64));
  }
  for (int i = 0; i < n; i += 2)
    delete by[2][i];
  if (way == 1)
    throw 1;
  return s;
}

typedef double Function(const double *, int, int);
template <Function *f>
static void request(const double *x, double *dx, int n, int way) {
  try {
    __verso_grad_void((void *)f, verso_dup, x, dx, verso_const, n, verso_const,
                      way);
    CHECK(way == 0);
  } catch (int) {
    CHECK(way == 1);
  } catch (const std::runtime_error &) {
    CHECK(way == 2);
  }
}

template <Function *f> static void check(int ways) {
  double x[N];
  for (int i = 0; i < N; i++)
    x[i] = 0.1 + 0.01 * i;
  for (int n = 1; n <= N; n += 7) {
    double dx[N] = {};
    request<f>(x, dx, n, 0);
    for (int i = 0; i < n; i++) {
      auto at = [&](double h) {
        double y[N];
        for (int k = 0; k < N; k++)
          y[k] = x[k] + (k == i ? h : 0);
        return f(y, n, 0);
      };
      const double h = 1e-4;
      double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / 12 / h;
      CHECK_CLOSE(dx[i], slope, 1e-8);
    }
  }
  double dx[N] = {};
  size_t before = 0;
  for (int k = 0; k < 400; k++) {
    request<f>(x, dx, N, k % ways);
    if (k == 99)
      before = mallinfo2().uordblks;
  }
  // A row for each of 300 requests would be 72,000 bytes; what a thread has at
  // hand, and what -verso-check keeps of an exception, count as used.
  CHECK(mallinfo2().uordblks < before + 20000);
}

int main() {
  check<destructors>(3);
  check<releases>(2);
  return check_status();
}
