//===- second-derivative.c - reverse over reverse -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request inside a function that is itself differentiated gives second
// derivatives: of scalars, and of arrays, where the outer request
// differentiates through the sweep of the inner one.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

static double quartic(double x) { return x * x * x * x; }
static double slope(double x) { return __verso_grad(quartic, x); }
static double wave(double x) { return sin(x) * x * x; }
static double wave_slope(double x) { return __verso_grad(wave, x); }

static double energy(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i + 1 < n; ++i)
    sum += x[i] * x[i] * x[i + 1];
  return sum;
}
/// The directional derivative of energy: its gradient is H v.
static double directional(const double *x, const double *v, int n) {
  double gradient[8] = {0}, sum = 0;
  __verso_grad_void(energy, verso_dup, x, gradient, verso_const, n);
  for (int i = 0; i < n; ++i)
    sum += gradient[i] * v[i];
  return sum;
}

int main(void) {
  CHECK_EQUAL(slope(2), 32);
  CHECK_CLOSE(__verso_grad(slope, 2.0), 48, 1e-13);
  double t = 0.8;
  CHECK_CLOSE(__verso_grad(wave_slope, t),
              2 * sin(t) + 4 * t * cos(t) - t * t * sin(t), 1e-13);

  double x[] = {1, 2, 3}, v[] = {1, 10, 100}, hv[] = {0, 0, 0};
  __verso_grad_void(directional, verso_dup, x, hv, verso_const, v, verso_const,
                    3);
  // H = [[2 x1, 2 x0, 0], [2 x0, 2 x2, 2 x1], [0, 2 x1, 0]].
  CHECK_CLOSE(hv[0], 4 * 1 + 2 * 10, 1e-13);
  CHECK_CLOSE(hv[1], 2 * 1 + 6 * 10 + 4 * 100, 1e-13);
  CHECK_CLOSE(hv[2], 4 * 10, 1e-13);
  return check_status();
}
