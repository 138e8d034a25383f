//===- rows-of-objects.cpp - recurrences over what an object leads to ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a nest would gain if its pointers were told apart is asked before its
// loops are reversed: asked afterwards, of loops that are no longer there, the
// compiler crashed (the first function at -O2, the second at -O1, too).
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <cmath>
#include <verso/verso.h>

struct Grid {
  int n;
  double *u, *v;
};

CHECK_NOINLINE static double chain(Grid &g) {
  for (int i = 0; i < g.n; ++i) {
    double a = g.u[i];
    for (int j = 0; j < g.n; ++j)
      a = std::sin(a + g.v[j]);
    g.u[i] = a;
  }
  return g.u[0] + g.u[g.n - 1];
}

CHECK_NOINLINE static double stops(double *x, double *y, double *z, int n) {
  double s = 1, t = 0.5;
  for (int i = 0; i < n - 3; i += 2) {
    t = 0.25 * t + 0.3 * std::sqrt(1 + x[i] * x[i]);
    y[i] = 0.5 * t;
    double most = s > t ? t : y[i + 2];
    x[i] = 0.5 * (y[i + 1] * x[i]);
    s = 0.67 * s + 0.3 * std::sqrt(1 + z[n - 1 - i] * z[n - 1 - i]);
    t = 0.69 * t + 0.3 * (x[n - 1 - i] + y[i]);
    if (!(most < 1e30))
      break;
  }
  return s + t;
}

constexpr int N = 8;

static void fill(double *x, double start) {
  for (int i = 0; i < N; ++i)
    x[i] = std::sin(start + i);
}

int main() {
  double u[N], v[N], du[N] = {}, dv[N] = {};
  fill(u, 1), fill(v, 2);
  Grid g{N, u, v}, dg{N, du, dv};
  __verso_grad_void((void *)chain, verso_dup, &g, &dg);
  double tu[N], tv[N], sum = 0;
  for (int i = 0; i < N; ++i) {
    tu[i] = std::cos(3 * i), tv[i] = std::cos(5 * i);
    sum += du[i] * tu[i] + dv[i] * tv[i];
  }
  fill(u, 1);
  Grid tg{N, tu, tv};
  CHECK_CLOSE(__verso_jvp((void *)chain, verso_dup, &g, &tg), sum, 1e-12);

  double x[3][N], dx[3][N] = {}, tx[3][N];
  for (int k = 0; k < 3; ++k)
    fill(x[k], k), fill(tx[k], 7 + k);
  __verso_grad_void((void *)stops, verso_dup, x[0], dx[0], verso_dup, x[1],
                    dx[1], verso_dup, x[2], dx[2], verso_const, N);
  sum = 0;
  for (int k = 0; k < 3; ++k) {
    fill(x[k], k);
    for (int i = 0; i < N; ++i)
      sum += dx[k][i] * tx[k][i];
  }
  CHECK_CLOSE(__verso_jvp((void *)stops, verso_dup, x[0], tx[0], verso_dup, x[1],
                          tx[1], verso_dup, x[2], tx[2], verso_const, N),
              sum, 1e-12);
  return check_status();
}
