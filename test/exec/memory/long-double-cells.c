//===- long-double-cells.c - sixteen-byte cells ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays and structs of long double inside a function of doubles, copied and
// overwritten.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct sums {
  long double sum, square;
  int count;
};

CHECK_NOINLINE static double variance(const double *x, int n) {
  struct sums s = {0, 0, 0};
  for (int i = 0; i < n; ++i) {
    struct sums next = s;
    next.sum += x[i];
    next.square += (long double)x[i] * x[i];
    ++next.count;
    s = next;
  }
  long double mean = s.sum / s.count;
  return (double)(s.square / s.count - mean * mean);
}

int main(void) {
  double x[] = {1, 4, 2, 8}, dx[4] = {0}, mean = 15.0 / 4;
  __verso_grad_void(variance, verso_dup, x, dx, 4);
  for (int i = 0; i < 4; ++i)
    CHECK_CLOSE(dx[i], 2 * (x[i] - mean) / 4, 1e-14);
  return check_status();
}
