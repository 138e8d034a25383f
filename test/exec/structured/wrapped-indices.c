//===- wrapped-indices.c - products that wrap around ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices that are products modulo 2^64, which are multiples of their factors
// no more: an exact division by three, and a triple of its results. Each is
// used twice, with a choice in it, so that it is taken apart; or a load and a
// store are a cell apart as integers, and are the same cell.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <verso/verso.h>

#include <stdlib.h>
#include <string.h>

#define THIRD 0xAAAAAAAAAAAAAAABul // 3 * THIRD == 1

static double sums(double *a, double *w, const double *x, unsigned long r) {
  return a[2] * a[2] * x[r % 2] + a[4] * a[4] * a[4] + 0 * w[0];
}
#define OVERWRITTEN_AT(name, index)                                            \
  static double name(const double *x, unsigned long n,                         \
                     const unsigned long *t) {                                 \
    double *a = malloc(16 * sizeof *a), *w = calloc(16, sizeof *w), s = 0;     \
    for (int i = 0; i < 16; ++i)                                               \
      a[i] = sin(x[i % 2]) * (i + 1);                                          \
    for (unsigned long r = 0; r < n; ++r) {                                    \
      s += sums(a, w, x, r);                                                   \
      for (unsigned long k = 0; k < 3; ++k) {                                  \
        unsigned long j = (index);                                             \
        a[j] = s * 0.01 * k;                                                   \
        w[j] += s;                                                             \
      }                                                                        \
    }                                                                          \
    s += a[1] + a[2] + a[4] + w[1] * w[2] * w[4];                              \
    free(a);                                                                   \
    free(w);                                                                   \
    return s;                                                                  \
  }
OVERWRITTEN_AT(divided, t[k] * THIRD + (t[k] > 6))
OVERWRITTEN_AT(tripled, t[k] * 3 + (t[k] == THIRD * 3))
static double unrolled(double *restrict x, double *restrict a,
                       const unsigned long *restrict u, long n) {
  double s = 0;
  for (int i = 0; i < 8; ++i)
    a[i] = sin(x[i % 2]) * (i + 1);
  for (long r = 0; r < n; ++r)
    for (int k = 0; k < 2; ++k) {
      double v = a[3 * u[2 * k]];
      s += v * v * x[k];
      a[3 * u[2 * k + 1] + 1] = s * x[1] * 0.01;
    }
  return s + a[1] * a[1] + a[2] + a[4];
}

/// Halves of unsigned integers are not negative, nor are their sums and what
/// iterations multiply them with, but for what wraps around: u + v + 2 is 0,
/// and so is 3 * u + 1 in the last of the iterations, of which only two store.
static double summed(double *restrict x, double *restrict a,
                     const unsigned long *restrict t, long n) {
  double s = 0;
  for (int i = 0; i < 8; ++i)
    a[i] = sin(x[i % 2]) * (i + 1);
  unsigned long u = t[0] >> 1, v = t[1] >> 1;
  for (long r = 0; r < n; ++r) {
    s += a[2] * a[2] * x[0];
    a[u + v + 4] = s * x[1] * 0.01;
  }
  return s + a[2] * a[2];
}
static double strided(double *restrict x, double *restrict a,
                      const unsigned long *restrict t, long n) {
  double s = 0;
  for (int i = 0; i < 8; ++i)
    a[i] = sin(x[i % 2]) * (i + 1);
  unsigned long u = t[0] >> 1;
  for (long r = 0; r < n; ++r) {
    s += a[2] * a[2] * x[0];
    for (unsigned long i = 0; i < 4; ++i)
      if (t[1 + i])
        a[i * u + 3] = s * x[1] * 0.01;
  }
  return s + a[2] * a[2] + a[3];
}

static const unsigned long multiples[] = {3, 6, 9},
                           thirds[] = {THIRD, THIRD * 2, THIRD * 3},
                           pairs[] = {THIRD, 0, 2 * THIRD, 1};
// Other files may change them: no index is a constant.
unsigned long largest[] = {~0ul, ~0ul}, strides[] = {THIRD - 1, 1, 0, 0, 1};
static double by_division(double *x) { return divided(x, 3, multiples); }
static double by_product(double *x) { return tripled(x, 3, thirds); }
static double by_pairs(double *x) {
  double a[8];
  return unrolled(x, a, pairs, 3);
}
static double by_sums(double *x) {
  double a[8];
  return summed(x, a, largest, 3);
}
static double by_strides(double *x) {
  double a[8];
  return strided(x, a, strides, 3);
}

int main(void) {
  double x[2] = {0.7, 0.4}, d[2] = {0}, t[2] = {0};
  __verso_grad_void(divided, verso_dup, x, d, verso_const, 3ul, verso_const,
                    multiples);
  CHECK_GRADIENT(by_division, 2, x, d, 1e-8);
  __verso_grad_void(tripled, verso_dup, x, t, verso_const, 3ul, verso_const,
                    thirds);
  CHECK_GRADIENT(by_product, 2, x, t, 1e-8);
  double u[2] = {0}, a[8], da[8] = {0};
  __verso_grad_void(unrolled, verso_dup, x, u, verso_dup, a, da, verso_const,
                    pairs, verso_const, 3l);
  CHECK_GRADIENT(by_pairs, 2, x, u, 1e-8);
  double v[2] = {0}, w[2] = {0};
  memset(da, 0, sizeof da);
  __verso_grad_void(summed, verso_dup, x, v, verso_dup, a, da, verso_const,
                    largest, verso_const, 3l);
  CHECK_GRADIENT(by_sums, 2, x, v, 1e-8);
  memset(da, 0, sizeof da);
  __verso_grad_void(strided, verso_dup, x, w, verso_dup, a, da, verso_const,
                    strides, verso_const, 3l);
  CHECK_GRADIENT(by_strides, 2, x, w, 1e-8);
  return check_status();
}
