//===- cut-off-at-a-pole.c - zeros that do not vary, at a pole
//-------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// max(0, x) and its like are constant where x is negative, and so is what is
// multiplied by them or divided: the derivative of its root is zero in every
// mode, not infinity times zero. Where x is positive it is as everywhere.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <verso/verso.h>

// clang-format off
#define MODES(NAME, BODY)                                                      \
  CHECK_NOINLINE static double NAME(const double *x, const double *y, int n) { \
    BODY                                                                       \
  }                                                                            \
  VERSO_STRATEGY(taped) CHECK_NOINLINE                                         \
  static double NAME##_taped(const double *x, const double *y, int n) {        \
    BODY                                                                       \
  }

MODES(product, return sqrt(fmax(0, x[0]) * y[n]) + x[0];)
MODES(power, return pow(-fmin(x[0], 0) * y[n] / y[0], 0.3) + x[0];)
MODES(chosen, return sqrt((x[0] > 0 ? x[0] : 0) * y[n]) + x[0];)
// As std::max(x, 0.0) has it.
MODES(otherwise, return sqrt((x[0] < 0 ? 0 : x[0]) * y[n]) + x[0];)
// A product that is used twice, and so has a record of its own.
MODES(twice,
  double v = x[0]; double s = x[0];
  for (int i = 0; i < 3; ++i) {
    double m = (v < 0 ? 0 : v) * y[n];
    s *= exp(sqrt(m) * x[1]);
    v -= 0.1 + x[1] * sqrt(m);
  }
  return s;
)
MODES(difference, return sqrt(fdim(x[0], 0.1) * y[n]) + x[0];)
MODES(sum,
  double s = x[0];
  for (int i = 0; i < n; ++i)
    s += sqrt(fabs(fmax(0, x[0] - 0.01 * i) / (1 + y[i] * y[i]))) *
         exp(-fabs(x[1]));
  return s;
)
// clang-format on

#define CHECK_MODES(F, X0, IS_CONSTANT)                                        \
  do {                                                                         \
    double x[] = {X0, 0.3}, y[] = {1.5, 2, 3};                                 \
    double dx[2] = {0}, dy[3] = {0}, tx[2] = {0}, ty[3] = {0};                 \
    __verso_grad(F, verso_dup, x, dx, verso_dup, y, dy, 2);                    \
    double ex[2] = {0}, ey[3] = {0};                                           \
    __verso_grad(F##_taped, verso_dup, x, ex, verso_dup, y, ey, 2);            \
    for (int i = 0; i < 5; ++i) {                                              \
      double *t = i < 2 ? &tx[i] : &ty[i - 2];                                 \
      *t = 1;                                                                  \
      double d = __verso_jvp(F, verso_dup, x, tx, verso_dup, y, ty, 2);        \
      *t = 0;                                                                  \
      CHECK_CLOSE(i < 2 ? dx[i] : dy[i - 2], d, 1e-12);                        \
      CHECK_CLOSE(i < 2 ? ex[i] : ey[i - 2], d, 1e-12);                        \
      if (IS_CONSTANT)                                                         \
        CHECK_EQUAL(d, i == 0 ? 1.0 : 0.0);                                    \
    }                                                                          \
  } while (0)

int main(void) {
  CHECK_MODES(product, -1, 1);
  CHECK_MODES(product, 0.5, 0);
  CHECK_MODES(power, 1, 1);
  CHECK_MODES(power, -0.5, 0);
  CHECK_MODES(chosen, -1, 1);
  CHECK_MODES(chosen, 0.5, 0);
  CHECK_MODES(otherwise, -1, 1);
  CHECK_MODES(otherwise, 0.5, 0);
  CHECK_MODES(twice, -1, 1);
  CHECK_MODES(twice, 0.7, 0);
  CHECK_MODES(difference, -1, 1);
  CHECK_MODES(difference, 0.5, 0);
  CHECK_MODES(sum, -1, 1);
  CHECK_MODES(sum, 0.5, 0);
  return check_status();
}
