//===- bits-as-places.c - bits of numbers that say where something is -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//
//
// The bits of a number that varies are the place of a table's entry, of a
// counter, or a size: nothing of them comes back to a number.
//
// STRATEGY: structured
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdint.h>

static uint64_t bitsOf(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/// Of a table of slopes, by exponent and first bits of the mantissa.
CHECK_NOINLINE static double tabled(const double *x, const double *slope,
                                    int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double y = x[i] * x[i];
    s += slope[bitsOf(y) >> 50 & 15] * y;
  }
  return s;
}

/// As many of equal first bits as there are weigh what is summed up.
CHECK_NOINLINE static double counted(const double *x, int n) {
  int counts[8] = {0};
  double s = 0;
  for (int i = 0; i < n; ++i)
    ++counts[bitsOf(x[i] * 3) >> 51 & 7];
  for (int i = 0; i < n; ++i)
    s += counts[bitsOf(x[i] * 3) >> 51 & 7] * x[i] * x[i];
  return s;
}

/// Room, and how much of it is copied.
CHECK_NOINLINE static double sized(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double y = x[i] * x[i];
    uint64_t some = 1 + (bitsOf(y) >> 51 & 3);
    double *copy = malloc(some * sizeof *copy);
    if (!copy)
      abort();
    memcpy(copy, x, some * sizeof *copy);
    for (uint64_t k = 0; k < some; ++k)
      s += copy[k] * y;
    free(copy);
  }
  return s;
}

enum { N = 6, Slopes = 16 };
static double slopes[Slopes];
static double ofTabled(double *x) { return tabled(x, slopes, N); }
static double ofCounted(double *x) { return counted(x, N); }
static double ofSized(double *x) { return sized(x, N); }

int main(void) {
  double x[N], d[N] = {0}, e[N] = {0}, f[N] = {0};
  for (int i = 0; i < Slopes; ++i)
    slopes[i] = 1 + 0.25 * i;
  for (int i = 0; i < N; ++i)
    x[i] = 0.6 + 0.3 * i;
  __verso_grad_void((void *)tabled, verso_dup, x, d, verso_const, slopes,
                    verso_const, (int)N);
  CHECK_GRADIENT(ofTabled, N, x, d, 1e-7);
  __verso_grad_void((void *)counted, verso_dup, x, e, verso_const, (int)N);
  CHECK_GRADIENT(ofCounted, N, x, e, 1e-7);
  __verso_grad_void((void *)sized, verso_dup, x, f, verso_const, (int)N);
  CHECK_GRADIENT(ofSized, N, x, f, 1e-7);
  return check_status();
}
