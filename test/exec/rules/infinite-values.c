//===- infinite-values.c - infinities that are values, and their limits ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masks of -inf, log 0, barriers and borders that are infinite, scaled by a
// temperature that varies: an exponential makes zero of them, and of their
// derivatives, infinity times zero, in every mode (rules/Overflows.h), also in
// directions without the temperature. Judged by differences.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <string.h>
#include <verso/verso.h>

enum { N = 6, NumIn = 7 };

/// What a softmax over \p s makes of x.
static double shared(const double *x, double *s, double most) {
  double out = 0, z = 0;
  for (int i = 0; i < N; ++i) {
    s[i] = exp(s[i] - most);
    z += s[i];
  }
  for (int i = 0; i < N; ++i)
    out += s[i] / z * i * x[(i + 1) % N];
  return out;
}

// clang-format off
#define MODES(NAME, ...)                                                       \
  CHECK_NOINLINE static double NAME(const double *x, const double *l) {        \
    __VA_ARGS__                                                                \
  }                                                                            \
  VERSO_STRATEGY(taped) CHECK_NOINLINE                                         \
  static double NAME##_taped(const double *x, const double *l) {               \
    __VA_ARGS__                                                                \
  }

MODES(direct, return exp(x[6] * l[0]) + exp(l[0] / x[6]) + x[6] * x[0];)
MODES(constant, return exp(-INFINITY * x[6]) + exp(-INFINITY / x[0]) + x[0];)
MODES(soft,
  double g = exp(x[6]), m = fmin(x[0], INFINITY);
  return m - g * log(exp((m - x[0]) / g) + exp((m - INFINITY) / g));
)
MODES(normalised,
  double s = 0;
  for (int i = 0; i < 3; ++i)
    s += exp((l[i] + x[6]) / x[6]) + exp2(x[6] * l[i] * x[i]);
  return log(s) * x[6];
)
MODES(added,
  double s[N], most = -INFINITY;
  for (int i = 0; i < N; ++i) {
    s[i] = (x[i] + l[i]) / x[6];
    most = fmax(most, s[i]);
  }
  return shared(x, s, most);
)
MODES(chosen,
  double s[N], most = -INFINITY;
  for (int i = 0; i < N; ++i) {
    s[i] = l[i] > -1 ? x[i] : -INFINITY;
    s[i] *= x[6];
    most = fmax(most, s[i]);
  }
  return shared(x, s, most);
)
MODES(markov,
  double a[3] = {0, -INFINITY, -INFINITY}, b[3];
  double p[3][3] = {{x[0], x[1], 0}, {0, x[2], x[3]}, {0, 0, 1}};
  for (int t = 0; t < 4; ++t) {
    for (int j = 0; j < 3; ++j) {
      double most = -INFINITY, s = 0;
      for (int i = 0; i < 3; ++i)
        most = fmax(most, a[i] + x[6] * log(p[i][j]));
      b[j] = most;
      if (most == -INFINITY)
        continue;
      for (int i = 0; i < 3; ++i)
        s += exp(a[i] + x[6] * log(p[i][j]) - most);
      b[j] = most + log(s) - x[4] * j;
    }
    memcpy(a, b, sizeof a);
  }
  return a[2] + 0.3 * a[1];
)
MODES(boltzmann,
  double z = 0;
  for (int i = 0; i < N; ++i) {
    double d = x[i] - x[(i + 1) % N];
    double e = (i == 2 ? INFINITY : d * d) + x[0];
    z += exp(-e / x[6]);
  }
  return -x[6] * log(z);
)
MODES(warped,
  double r[4][4], g = 0.2 + x[6] * x[6];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      r[i][j] = i + j ? INFINITY : 0;
  for (int i = 1; i < 4; ++i)
    for (int j = 1; j < 4; ++j) {
      double a = r[i - 1][j] / -g, b = r[i][j - 1] / -g, c = r[i - 1][j - 1] / -g;
      double m = fmax(fmax(a, b), c), d = x[i] - x[j + 2];
      r[i][j] = d * d - g * (log(exp(a - m) + exp(b - m) + exp(c - m)) + m);
    }
  return r[3][3];
)
MODES(saturated,
  double s = 0;
  for (int i = 0; i < N; ++i)
    s += erfc(l[i] * x[6]) * erf(l[i] * x[i]) * x[6];
  return s;
)
// clang-format on

typedef double function(const double *, const double *);

static void check(function *f, const double *grad, const double *taped,
                  const double *jvp, double *x, const double *l) {
  for (int i = 0; i < NumIn; ++i) {
    const double h = 1e-4, at = x[i];
    double near = 0, far = 0;
    x[i] = at + h, near += f(x, l);
    x[i] = at - h, near -= f(x, l);
    x[i] = at + 2 * h, far += f(x, l);
    x[i] = at - 2 * h, far -= f(x, l);
    x[i] = at;
    double slope = (8 * near - far) / (12 * h);
    CHECK_CLOSE(jvp[i], slope, 1e-7);
    CHECK_CLOSE(grad[i], slope, 1e-7);
    CHECK_CLOSE(taped[i], slope, 1e-7);
  }
}

#define CHECK_MODES(F)                                                         \
  do {                                                                         \
    double x[NumIn] = {0.5, 0.8, 0.9, 0.3, 0.7, 0.4, 0.6};                     \
    double l[N] = {-INFINITY, 0, 0.5, -INFINITY, 0, 0.25};                     \
    double grad[NumIn] = {0}, taped[NumIn] = {0}, jvp[NumIn];                  \
    __verso_grad(F, verso_dup, x, grad, verso_const, l);                       \
    __verso_grad(F##_taped, verso_dup, x, taped, verso_const, l);              \
    for (int i = 0; i < NumIn; ++i) {                                          \
      double t[NumIn] = {0};                                                   \
      t[i] = 1;                                                                \
      jvp[i] = __verso_jvp(F, verso_dup, x, t, verso_const, l);                \
    }                                                                          \
    check(F, grad, taped, jvp, x, l);                                          \
  } while (0)

// The logarithm's pole counts: no number rather than a wrong one, and where x
// is not zero all is as everywhere.
static double power(double x, double p) { return exp(p * log(x)); }

// No number: what a function returns may be a logarithm's. (1 would be right, a
// zero would be wrong in silence.)
CHECK_NOINLINE static double logarithm(double x) { return log(x); }
CHECK_NOINLINE static double inverse(double x) { return exp(logarithm(x)); }

// Nor where the logarithm goes by memory or by a parameter, while masks may go
// there; nor twice.
CHECK_NOINLINE static void keep(double x, double *y) { *y = log(x); }
CHECK_NOINLINE static void scale(double x, double *y) { *y = x * -INFINITY; }
CHECK_NOINLINE static double exponential(double x) { return exp(x); }
static double kept(double x) {
  double y;
  keep(x, &y);
  return exp(y - 1);
}
static double passed(double x) { return exponential(log2(x) * 2); }
static double slope(double x) { return __verso_jvp(kept, verso_dup, x, 1.0); }
static double mask(double x) {
  double y;
  scale(x, &y);
  return exp(y - 1) + x;
}
static double passedMask(double x) { return exponential(x * -INFINITY) + x; }
CHECK_NOINLINE static void store(const double *x, double *y) { *y = log(*x); }
// The slope by t is log 0, whoever makes an exponential of the same product.
CHECK_NOINLINE static void scaled(const double *x, double *y) {
  y[0] = x[1] * log(x[0]);
  y[1] = exp(x[1] * log(x[0]));
}

int main(void) {
  CHECK_MODES(direct);
  CHECK_MODES(constant);
  CHECK_MODES(soft);
  CHECK_MODES(normalised);
  CHECK_MODES(added);
  CHECK_MODES(chosen);
  CHECK_MODES(markov);
  CHECK_MODES(boltzmann);
  CHECK_MODES(warped);
  CHECK_MODES(saturated);
  volatile double zero = 0;
  CHECK(isnan(__verso_jvp(inverse, verso_dup, zero, 1.0)));
  CHECK(isnan(__verso_jvp(kept, verso_dup, zero, 1.0)));
  CHECK(isnan(__verso_jvp(passed, verso_dup, zero, 1.0)));
  CHECK(isnan(__verso_jvp(slope, verso_dup, zero, 1.0)));
  CHECK_EQUAL(__verso_jvp(kept, verso_dup, zero, 0.0), 0);
  CHECK_CLOSE(__verso_jvp(kept, verso_dup, 2.0, 1.0), exp(-1), 1e-12);
  CHECK_EQUAL(__verso_jvp(mask, verso_dup, 0.5, 1.0), 1);
  CHECK_EQUAL(__verso_jvp(passedMask, verso_dup, 0.5, 1.0), 1);
  double x = 0, dx = 1, y, dy = 0;
  __verso_jvp(store, verso_dup, &x, &dx, verso_dup, &y, &dy);
  CHECK(!isfinite(dy));
  double both[2] = {0, 2}, direction[2] = {0, 1}, out[2], slopes[2] = {0, 0};
  __verso_jvp(scaled, verso_dup, both, direction, verso_dup, out, slopes);
  CHECK(slopes[0] == -INFINITY);
  CHECK_EQUAL(slopes[1], 0);
  dx = 0;
  __verso_jvp(store, verso_dup, &x, &dx, verso_dup, &y, &dy);
  CHECK_EQUAL(dy, 0);
  CHECK(__verso_jvp(power, verso_dup, zero, 1.0, verso_const, 1.0) != 0);
  CHECK_EQUAL(__verso_jvp(power, verso_dup, zero, 0.0, verso_dup, 2.0, 1.0), 0);
  CHECK_CLOSE(__verso_jvp(power, verso_dup, 3.0, 1.0, verso_dup, 2.0, 1.0),
              6 + 9 * log(3), 1e-12);
  return check_status();
}
