//===- kernels.c - the tape of a loop that it takes as a whole ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product of matrices takes tape by the cells, not by the products: a copy
// and an ID for each. Runs that come to no number with a derivative, or to
// hardly any cell, take what they took before.
//
//===----------------------------------------------------------------------===//

// FLAGS: -mllvm -verso-kernels=always
// STRATEGY: taped
// UNCHECKED: a request that checks itself has to tape what it compares

#include "../check.h"

size_t verso_tape_bytes(void);

enum { Most = 64 };

// Checks in a loop may end the program in the middle of it.
#define UNDISTURBED __attribute__((no_sanitize("undefined")))

UNDISTURBED static double products(const double *x, const double *y, long n) {
  static double z[Most * Most];
  double sum = 0;
  for (long i = 0; i < n * n; ++i)
    z[i] = 0;
  for (long i = 0; i < n; ++i)
    for (long k = 0; k < n; ++k)
      for (long j = 0; j < n; ++j)
        z[i * n + j] += x[i * n + k] * y[k * n + j];
  for (long i = 0; i < n * n; ++i)
    sum += z[i];
  return sum;
}

/// A hundred runs over constants, between which the tape has something to do.
UNDISTURBED static double ofConstants(const double *x, double *z, long n,
                                      double a) {
  double sum = a;
  for (long run = 0; run < 100; ++run) {
    for (long i = 0; i < n; ++i)
      for (long k = 0; k < n; ++k)
        for (long j = 0; j < n; ++j)
          z[i * n + j] = 0.5 * z[i * n + j] + x[i * n + k] * x[k * n + j];
    sum = sum > 1e9 ? exp(-sum) : 0.5 * sum + z[run] * 1e-3;
    if (sum < -1e9)
      break;
  }
  return sum;
}

int main(void) {
  static double x[Most * Most], y[Most * Most], dx[Most * Most];
  size_t before = 0;
  for (int i = 0; i < Most * Most; ++i)
    x[i] = sin(i), y[i] = cos(i);
  for (long n = 16; n <= Most; n *= 2) {
    for (int i = 0; i < Most * Most; ++i)
      dx[i] = 0;
    __verso_grad(products, verso_dup, x, dx, verso_const, y, n);
    for (long k = 0; k < n; ++k) {
      double row = 0;
      for (long j = 0; j < n; ++j)
        row += y[k * n + j];
      CHECK_CLOSE(dx[k], row, 1e-12);
    }
    size_t bytes = verso_tape_bytes();
#ifdef __OPTIMIZE__
    CHECK(bytes <= 64 * (size_t)(n * n) + 4096);
    CHECK(!before || bytes < 4.3 * before);
#endif
    before = bytes;
  }
  static double z[Most * Most];
  __verso_grad(ofConstants, verso_const, x, verso_const, z, 16L, verso_out,
               1.0);
#ifdef __OPTIMIZE__
  CHECK(verso_tape_bytes() < 8192);
#endif
  return check_status();
}
