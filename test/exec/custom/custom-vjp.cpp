//===- custom-vjp.cpp - given VJPs of functions of C++ --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VERSO_CUSTOM_VJP of a function with a mangled name and references, that is
// called with vectors as long as the program says, many times, and that may
// throw; of a static member function without pointers.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "check.h"
#include <numeric>
#include <stdexcept>
#include <vector>
#include <verso/verso.h>

namespace {

int vjps;

/// y = x / norm, the norm of x.
void normalise(const double *x, double *y, double &norm, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i != n; ++i)
    sum += x[i] * x[i];
  if (sum > 1e6)
    throw std::range_error("too long");
  norm = std::sqrt(sum);
  for (std::size_t i = 0; i != n; ++i)
    y[i] = x[i] / norm;
}
void counts(std::size_t *count, const double *, double *, double &,
            std::size_t n) {
  count[0] = count[1] = n;
  count[2] = 1;
}
void vjp(const double *x, double *dx, const double *y, const double *dy,
         const double &norm, const double &dnorm, std::size_t n) {
  ++vjps;
  double along = std::inner_product(y, y + n, dy, 0.0);
  for (std::size_t i = 0; i != n; ++i)
    dx[i] += (dy[i] - along * y[i]) / norm + dnorm * y[i];
}
void jvp(const double *x, const double *dx, const double *y, double *dy,
         const double &norm, double &dnorm, std::size_t n) {
  dnorm = std::inner_product(y, y + n, dx, 0.0);
  for (std::size_t i = 0; i != n; ++i)
    dy[i] = (dx[i] - dnorm * y[i]) / norm;
}

struct Softplus {
  static float of(float x) { return std::log1p(std::exp(x)); }
  static void counts(std::size_t *, float) {}
  static void vjp(float x, float *dx, float d) {
    *dx += d / (1 + std::exp(-x));
  }
  static float jvp(float x, float dx) { return dx / (1 + std::exp(-x)); }
};

double power(const double *x, std::size_t n) {
  std::vector<double> v(x, x + n);
  double product = 1;
  for (int k = 0; k != 20; ++k) {
    std::vector<double> next(n - k / 10);
    double norm;
    normalise(v.data(), next.data(), norm, next.size());
    for (std::size_t i = 0; i != next.size(); ++i)
      next[i] = next[i] * (i + 2.0) + x[i];
    product *= norm;
    v = std::move(next);
  }
  return product + std::accumulate(v.begin(), v.end(), 0.0);
}

double caught(const double *x, std::size_t n) {
  std::vector<double> v(n);
  double norm = 2;
  try {
    normalise(x, v.data(), norm, n);
  } catch (const std::range_error &) {
    return x[0] * 3;
  }
  return norm;
}

float softened(float x) { return Softplus::of(x * x) * Softplus::of(1 - x); }

} // namespace

VERSO_CUSTOM_VJP(normalise, double, "rww-", counts, vjp, jvp);
VERSO_CUSTOM_VJP(Softplus::of, float, "r", Softplus::counts, Softplus::vjp,
                 Softplus::jvp);

int main() {
  constexpr std::size_t N = 7;
  double x[N] = {0.5, -1, 2, 0.25, 1.5, -0.75, 1}, dx[N] = {};
  __verso_grad((void *)power, verso_dup, x, dx, verso_const, N);
  CHECK(vjps >= 20);
  for (std::size_t i = 0; i != N; ++i) {
    double v[N] = {};
    v[i] = 1;
    double step = 1e-6, at = x[i];
    CHECK_CLOSE(__verso_jvp((void *)power, verso_dup, x, v, verso_const, N),
                dx[i], 1e-11);
    x[i] = at + step;
    double above = power(x, N);
    x[i] = at - step;
    double below = power(x, N);
    x[i] = at;
    CHECK_CLOSE((above - below) / (2 * step), dx[i], 1e-7);
  }

  double d[N] = {};
  __verso_grad((void *)caught, verso_dup, x, d, verso_const, N);
  CHECK_CLOSE(d[0], x[0] / caught(x, N), 1e-14);
  x[2] = 1e4;
  double e[N] = {};
  __verso_grad((void *)caught, verso_dup, x, e, verso_const, N);
  CHECK_EQUAL(e[0], 3);
  CHECK_EQUAL(e[2], 0);

  float s = 0.7f, h = 1e-2f;
  CHECK_CLOSE(__verso_grad_float((void *)softened, s),
              (softened(s + h) - softened(s - h)) / (2 * h), 1e-3);
  return check_status();
}
