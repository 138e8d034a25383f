//===- limits.c - second derivatives where numbers overflow or vanish ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reverse over forward, where an exponential overflows and is divided by: the
// tangent that a zero partial makes zero is infinite, and has no effect either.
// Forward over reverse, where an adjoint is zero and the tangent of what it is
// multiplied by is infinite. Where partials are zero and nothing is infinite the
// second derivative is what it is.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <verso/verso.h>

// clang-format off
#define MODES(NAME, BODY)                                                      \
  static double NAME(double x) { BODY }                                        \
  VERSO_STRATEGY(taped) static double NAME##_taped(double x) { BODY }          \
  static double NAME##_grad(double x) {                                        \
    return __verso_grad(NAME, verso_out, x);                                   \
  }                                                                            \
  static double NAME##_tape(double x) {                                        \
    return __verso_grad(NAME##_taped, verso_out, x);                           \
  }                                                                            \
  static double NAME##_jvp(double x) {                                         \
    return __verso_jvp(NAME, verso_dup, x, 1.0);                               \
  }                                                                            \
  VERSO_STRATEGY(taped) static double NAME##_jvp_taped(double x) {             \
    return __verso_jvp(NAME, verso_dup, x, 1.0);                               \
  }

MODES(power, return x * (1 - pow(x, 1.1));)
MODES(secant, double c = cosh(x); return 1 / (c * c);)
MODES(written, double e = exp(x); double c = (e + 1 / e) / 2; return 1 / (c * c);)
MODES(sigmoid, return 1 / (1 + exp(-x));)
MODES(swish, return x / (1 + exp(-x));)
MODES(masked, return exp(-INFINITY * x) + exp(-INFINITY / x) + x * x;)
MODES(scaled, double e = x - 1; return e / exp(2 * e);)
// clang-format on

#define CHECK_NESTS(F, X, WANT)                                                \
  do {                                                                         \
    volatile double at = X;                                                    \
    CHECK_CLOSE(__verso_jvp(F##_grad, verso_dup, at, 1.0), WANT, 1e-12);       \
    CHECK_CLOSE(__verso_jvp(F##_tape, verso_dup, at, 1.0), WANT, 1e-12);       \
    CHECK_CLOSE(__verso_grad(F##_jvp, verso_out, at), WANT, 1e-12);            \
    CHECK_CLOSE(__verso_grad(F##_jvp_taped, verso_out, at), WANT, 1e-12);      \
  } while (0)
#define CHECK_SECOND(F, X, WANT)                                               \
  do {                                                                         \
    CHECK_NESTS(F, X, WANT);                                                   \
    CHECK_CLOSE(__verso_jvp(F##_jvp, verso_dup, (double)(X), 1.0), WANT, 1e-12);         \
  } while (0)

int main(void) {
  // (In forward mode twice it is zero times infinity.)
  CHECK_NESTS(power, 0, 0);
  CHECK_SECOND(power, 1, -2.31);
  for (double x = -2000; x <= 2000; x += 400) {
    if (x > -300 && x < 300)
      continue;
    CHECK_SECOND(secant, x, 0);
    CHECK_SECOND(written, x, 0);
    CHECK_SECOND(sigmoid, x * 2, 0);
    CHECK_SECOND(swish, x * 2, 0);
  }
  const double t = tanh(0.3), s = 1 / (1 + exp(-0.3));
  CHECK_SECOND(secant, 0.3, (1 - t * t) * (6 * t * t - 2));
  CHECK_SECOND(written, 0.3, (1 - t * t) * (6 * t * t - 2));
  CHECK_SECOND(sigmoid, 0.3, s * (1 - s) * (1 - 2 * s));
  CHECK_SECOND(swish, 0, 0.5);
  CHECK_SECOND(masked, 0.7, 2);
  CHECK_SECOND(scaled, 1, -4);
  return check_status();
}
