//===- parts-of-solvers.c - a tree of many copies stays small -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vorticity equation by Runge-Kutta and Fourier transforms: 24 transforms
// of planes, each of two loops over transforms of lines. All inlined, it
// compiles for nine seconds; each reversed once, for one.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -Rpass=verso -Rpass-analysis=verso %s -o %t %verso_libs \
// RUN:   2>&1 | FileCheck %s
// RUN: %t

// CHECK-DAG: reversed once for all calls: 'tendency', 'transform_plane'
// CHECK-DAG: gradient of 'solve' by reversed control flow

#include "../exec/check.h"

double __verso_jvp(void *, ...);

enum { N = 16, Cells = N * N };
static const double pi = 3.14159265358979323846;

static void transform_line(double *re, double *im, int n, int stride,
                           int sign) {
  for (int i = 1, j = 0; i < n; ++i) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1)
      j ^= bit;
    j ^= bit;
    if (i < j) {
      double t = re[i * stride];
      re[i * stride] = re[j * stride];
      re[j * stride] = t;
      t = im[i * stride];
      im[i * stride] = im[j * stride];
      im[j * stride] = t;
    }
  }
  for (int half = 1; half < n; half *= 2)
    for (int i = 0; i < n; i += 2 * half)
      for (int k = 0; k < half; ++k) {
        double wr = cos(pi / half * k), wi = sign * sin(pi / half * k);
        int a = (i + k) * stride, b = (i + k + half) * stride;
        double xr = re[b] * wr - im[b] * wi, xi = re[b] * wi + im[b] * wr;
        re[b] = re[a] - xr;
        im[b] = im[a] - xi;
        re[a] += xr;
        im[a] += xi;
      }
}

CHECK_NOINLINE static void transform_plane(double *re, double *im, int n,
                                           int sign) {
  for (int i = 0; i < n; ++i)
    transform_line(re + i * n, im + i * n, n, 1, sign);
  for (int j = 0; j < n; ++j)
    transform_line(re + j, im + j, n, n, sign);
  if (sign > 0)
    for (int i = 0; i < n * n; ++i) {
      re[i] /= n * n;
      im[i] /= n * n;
    }
}

static int wave(int i, int n) { return i <= n / 2 ? i : i - n; }

CHECK_NOINLINE static void tendency(const double *w, double *dw, double nu,
                                    int n, double *work) {
  int m = n * n;
  double *wr = work, *wi = wr + m, *ur = wi + m, *ui = ur + m, *vr = ui + m,
         *vi = vr + m, *xr = vi + m, *xi = xr + m, *yr = xi + m, *yi = yr + m;
  for (int i = 0; i < m; ++i) {
    wr[i] = w[i];
    wi[i] = 0;
  }
  transform_plane(wr, wi, n, -1);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      int k = i * n + j;
      double kx = wave(i, n), ky = wave(j, n), k2 = kx * kx + ky * ky;
      double pr = k2 > 0 ? wr[k] / k2 : 0, pi = k2 > 0 ? wi[k] / k2 : 0;
      ur[k] = -ky * pi;
      ui[k] = ky * pr;
      vr[k] = kx * pi;
      vi[k] = -kx * pr;
      xr[k] = -kx * wi[k];
      xi[k] = kx * wr[k];
      yr[k] = -ky * wi[k];
      yi[k] = ky * wr[k];
      wr[k] *= -k2;
      wi[k] *= -k2;
    }
  transform_plane(ur, ui, n, 1);
  transform_plane(vr, vi, n, 1);
  transform_plane(xr, xi, n, 1);
  transform_plane(yr, yi, n, 1);
  transform_plane(wr, wi, n, 1);
  for (int i = 0; i < m; ++i)
    dw[i] = nu * wr[i] - ur[i] * xr[i] - vr[i] * yr[i];
}

CHECK_NOINLINE static double solve(const double *start, double nu, int n,
                                   int steps) {
  static double w[Cells], t[Cells], k[4][Cells], work[10 * Cells];
  const double h = 0.01;
  for (int i = 0; i < n * n; ++i)
    w[i] = start[i];
  for (int s = 0; s < steps; ++s) {
    tendency(w, k[0], nu, n, work);
    for (int i = 0; i < n * n; ++i)
      t[i] = w[i] + h / 2 * k[0][i];
    tendency(t, k[1], nu, n, work);
    for (int i = 0; i < n * n; ++i)
      t[i] = w[i] + h / 2 * k[1][i];
    tendency(t, k[2], nu, n, work);
    for (int i = 0; i < n * n; ++i)
      t[i] = w[i] + h * k[2][i];
    tendency(t, k[3], nu, n, work);
    for (int i = 0; i < n * n; ++i)
      w[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
  double sum = 0;
  for (int i = 0; i < n * n; ++i)
    sum += w[i] * w[i];
  return sum;
}

int main(void) {
  double w[Cells], v[Cells], dw[Cells] = {0}, dnu, along = 0;
  for (int i = 0; i < Cells; ++i) {
    w[i] = sin(0.37 * i) + cos(0.11 * i * i);
    v[i] = cos(i);
  }
  dnu = __verso_grad((void *)solve, verso_dup, w, dw, 0.02, N, 3);
  for (int i = 0; i < Cells; ++i)
    along += dw[i] * v[i];
  CHECK_CLOSE(
      along + 0.5 * dnu,
      __verso_jvp((void *)solve, verso_dup, w, v, verso_dup, 0.02, 0.5, N, 3),
      1e-12);
  return check_status();
}
