//===- taken-branches.c - what is recorded where a branch is taken --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a branch records and needs alone is counted by how often it is taken:
// never, always, in the first iteration, in the last. Branches in branches, with
// loops in them, that leave the loop, in loops that nobody can count, in several
// runs of a loop, both sides of one; values that the iterations hand on beside
// them. Compared with forward mode.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);

enum { N = 24 };

CHECK_NOINLINE static double pairs(double *x, const int *which, int n) {
  double sum = 0;
  for (int t = 0; t < 2; ++t) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) {
        double d = x[i] - x[j];
        if (which[(i + j) % n] > 2) {
          double e = exp(-d * d), s = sin(e + x[j]);
          x[(i + j) % n] += 0.01 * e * s;
          sum += e / (1 + s * s);
        }
      }
    sum += x[t];
  }
  return sum;
}

CHECK_NOINLINE static double nested(double *x, const int *which, int n) {
  double sum = 0, carried = 1;
  for (int i = 0; i + 1 < n; ++i) {
    carried = cos(carried + x[i]);
    if (which[i] > 1) {
      double a = exp(x[i] * carried), b = sqrt(1 + a * a);
      for (int k = 0; k < which[i]; ++k) {
        a = sin(a * b) + x[k];
        if (which[k] == 3) {
          double c = exp(-a * a), d = log(2 + c * b);
          b += c * d;
          x[k] = b * d;
        }
      }
      sum += a * b;
      carried += a;
      if (sum > 40)
        break;
    } else {
      double p = tan(0.1 * x[i]), q = exp(p);
      x[i + 1] += p * q;
      sum -= q / (1 + p * p);
    }
  }
  return sum * carried;
}

/// Nobody can count it, and a branch goes on with the next iteration at once.
CHECK_NOINLINE static double walk(double *x, const int *which, int n) {
  double sum = 0;
  int at = 0;
  while (x[at] < 30) {
    x[at] += 3;
    at = (at + which[at] + 1) % n;
    if (which[at] == 0)
      continue;
    double u = exp(0.05 * x[at]);
    if (u > 1.2) {
      double v = sin(u * x[at]), w = sqrt(3 + v);
      x[(at + 1) % n] += 0.1 * v * w;
      if (w > 1.99) {
        double z = exp(-w * u);
        sum += z * v;
        if (sum > 60)
          break;
      }
    }
    sum += u;
  }
  return sum;
}

#define CHECK_AGAINST_JVP(F)                                                   \
  do {                                                                         \
    double x[N], d[N] = {0}, v[N];                                             \
    fill(x);                                                                   \
    __verso_grad_void(F, verso_dup, x, d, verso_const, which, N);              \
    for (int i = 0; i < N; ++i) {                                              \
      fill(x);                                                                 \
      for (int j = 0; j < N; ++j)                                              \
        v[j] = i == j;                                                         \
      CHECK_CLOSE(                                                             \
          d[i], __verso_jvp(F, verso_dup, x, v, verso_const, which, N),        \
          1e-11);                                                              \
    }                                                                          \
  } while (0)

static void fill(double *x) {
  for (int i = 0; i < N; ++i)
    x[i] = 0.3 + 0.5 * sin(1.7 * i);
}

int main(void) {
  int which[N];
  for (int kind = 0; kind < 6; ++kind) {
    for (int i = 0; i < N; ++i)
      which[i] = kind == 0   ? 0
                 : kind == 1 ? 3
                 : kind == 2 ? (i == 0) * 3
                 : kind == 3 ? (i >= N - 2) * 3
                             : (i * (kind + 2) + i * i) % 5;
    CHECK_AGAINST_JVP(pairs);
    CHECK_AGAINST_JVP(nested);
    CHECK_AGAINST_JVP(walk);
  }
  return check_status();
}
