//===- gamma-functions.c - derivatives of partials of our own -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The partials of the gamma functions call functions of the runtime, which have
// partials in turn: up to third derivatives, for positive numbers and negative.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "../forward/forward.h"

static double lgamma_at(double x) { return lgamma(x); }
static double tgamma_at(double x) { return tgamma(x); }
static float lgammaf_at(float x) { return lgammaf(x); }

#define ORDERS(F)                                                              \
  static double F##_1(double x) { return __verso_grad(F##_at, x); }            \
  static double F##_2(double x) {                                              \
    return __verso_jvp(F##_1, verso_dup, x, 1.0);                              \
  }                                                                            \
  static double F##_2r(double x) { return __verso_grad(F##_1, x); }            \
  static double F##_3(double x) {                                              \
    return __verso_jvp(F##_2, verso_dup, x, 1.0);                              \
  }
ORDERS(lgamma)
ORDERS(tgamma)
static float lgammaf_1(float x) { return __verso_grad_float(lgammaf_at, x); }

int main(void) {
  const double pi = acos(-1.0), euler = 0.57721566490153286061,
               zeta3 = 1.2020569031595942854;
  CHECK_CLOSE(lgamma_2(1), pi * pi / 6, 1e-14);
  CHECK_CLOSE(lgamma_2r(1), pi * pi / 6, 1e-14);
  CHECK_CLOSE(lgamma_2(0.5), pi * pi / 2, 1e-14);
  CHECK_CLOSE(lgamma_2r(-0.5), pi * pi / 2 + 4, 1e-14);
  CHECK_CLOSE(lgamma_3(1), -2 * zeta3, 1e-14);
  CHECK_CLOSE(lgamma_3(-0.5), 16 - 14 * zeta3, 1e-13);
  CHECK_CLOSE(tgamma_2(1), euler * euler + pi * pi / 6, 1e-14);
  CHECK_CLOSE(tgamma_2r(1), euler * euler + pi * pi / 6, 1e-14);
  CHECK_CLOSE(tgamma_3(1),
              -(euler * euler * euler + euler * pi * pi / 2 + 2 * zeta3),
              1e-13);
  CHECK_CLOSE(__verso_jvp_float(lgammaf_1, verso_dup, 1.0f, 1.0f), pi * pi / 6,
              1e-6);
  return check_status();
}
