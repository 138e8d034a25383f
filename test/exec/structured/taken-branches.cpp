//===- taken-branches.cpp - branches that throw, fall through and leave ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As taken-branches.c: exceptions that a branch throws and catches, cases of a
// switch that share a block or fall through, ways out of two loops, a vector
// that grows where a branch is taken. Compared with forward mode.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <cmath>
#include <stdexcept>
#include <vector>

extern "C" double __verso_jvp(void *, ...);

CHECK_NOINLINE static double risky(double y, int k) {
  if (k % 5 == 4)
    throw std::runtime_error("x");
  return std::exp(-y * y);
}
CHECK_NOINLINE static double thrown(double *x, int n, int m) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    if ((i * m) % 3 == 1) {
      double a = std::exp(x[i]), b = std::sqrt(a + 2);
      try {
        double c = risky(a * b, i + m);
        x[(i + 1) % n] += c * b;
        s += std::sin(c * a);
      } catch (const std::exception &) {
        double d = std::log(a + b);
        s -= d * b;
        x[i] = d * a;
        if (i > 6)
          continue;
      }
      s += a * b;
    }
    s *= 1.01;
  }
  return s;
}
CHECK_NOINLINE static double switched(double *x, int n, int m) {
  double s = 1;
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < n; i++)
      switch ((i + t * m) % 6) {
      case 0: {
        double a = std::exp(x[i] * .1), b = std::sin(a);
        x[i] = a * b;
        s += a / (1 + b * b);
        break;
      }
      case 1:
      case 2: {
        double a = std::sqrt(2 + x[i] * x[i]), b = std::cos(a * s);
        s += b * a;
        for (int k = 0; k < i % 3; k++) {
          double c = std::exp(-b * k);
          x[k] += c * b;
          if (c < .3)
            goto out;
        }
        break;
      }
      case 3: {
        double a = std::tanh(x[i]), b = std::exp(a * s * .01);
        s -= a * b;
        [[fallthrough]];
      }
      case 4: {
        double a = std::log(3 + x[i] * x[i]), b = std::exp(-a);
        s += a * b * x[(i + 1) % n];
        x[i] *= b;
        continue;
      }
      default:;
      }
out:
  return s;
}
CHECK_NOINLINE static double grown(double *x, int n, int m) {
  std::vector<double> hits;
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double d = x[i] - x[j];
      if (d * d > .02 * m)
        continue;
      double e = std::exp(-d), f = std::sin(e * x[i]);
      hits.push_back(e * f);
      x[j] += .01 * f * e;
      if (hits.size() > 40)
        return s;
      s += hits.back() * hits[hits.size() / 2] / (1 + f * f);
    }
  return s;
}
template <double (*F)(double *, int, int)> static void check() {
  double x[12], d[12];
  auto fill = [&] {
    for (int i = 0; i < 12; ++i)
      x[i] = .2 + .4 * std::sin(1.3 * i);
  };
  for (int m = 0; m < 7; ++m)
    for (int n : {0, 1, 5, 12}) {
      volatile int count = n, kind = m;
      fill();
      for (double &each : d)
        each = 0;
      __verso_grad_void((void *)F, verso_dup, x, d, verso_const, (int)count,
                        verso_const, (int)kind);
      for (int i = 0; i < 12; ++i) {
        double v[12] = {};
        v[i] = 1;
        fill();
        CHECK_CLOSE(d[i],
                    __verso_jvp((void *)F, verso_dup, x, v, verso_const,
                                (int)count, verso_const, (int)kind),
                    1e-11);
      }
    }
}

int main() {
  check<thrown>();
  check<switched>();
  check<grown>();
  return check_status();
}
