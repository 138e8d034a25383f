//===- zeros-and-poles.c - zeros where there seems to be no pole ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A zero adjoint makes zero of what is infinite or no number also where bounds
// seem to keep it finite: of data that are missing, of a power that overflows,
// and of a product of partials that a loop hands on.
//
// STRATEGY: structured
//
//===----------------------------------------------------------------------===//

#include "check.h"

static double missing(const double *x, const double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double q = x[i] / (1 + y[i] * y[i]);
    s += isnan(y[i]) ? 0 : q;
  }
  return s;
}

static double power(const double *x) {
  double p = pow(x[0] * x[0] + 1, 200.5), q = p * x[1];
  return x[0] < 10 ? q : 0;
}

static void handed_on(const double *x, double *y, int n) {
  double c = x[0];
  for (int i = 0; i < n; ++i)
    c = c * x[1] * x[2] + c;
  y[0] = c;
  y[1] = x[0];
}

int main(void) {
  double x[] = {1, 2, 3}, y[] = {1, NAN, 3}, dx[3] = {0};
  __verso_grad(missing, verso_dup, x, dx, verso_const, y, 3);
  CHECK_EQUAL(dx[0], 0.5);
  CHECK_EQUAL(dx[1], 0);
  CHECK_EQUAL(dx[2], 0.1);

  double z[] = {100, 4}, dz[2] = {0};
  __verso_grad(power, verso_dup, z, dz);
  CHECK_EQUAL(dz[0], 0);
  CHECK_EQUAL(dz[1], 0);

  double w[] = {1e-300, 1e200, 1e200}, dw[3] = {0}, v[2], dv[2] = {0, 1};
  __verso_vjp_void(handed_on, verso_dup, w, dw, verso_dup, v, dv, 1);
  CHECK_EQUAL(dw[0], 1);
  CHECK_EQUAL(dw[1], 0);
  CHECK_EQUAL(dw[2], 0);
  return check_status();
}
