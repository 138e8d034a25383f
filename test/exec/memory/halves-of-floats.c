//===- halves-of-floats.c - floats in two pieces --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bits of floats are kept as two uint16_t each, which TBAA calls integers,
// and put together again: the same numbers, with the same derivatives. (Not
// bfloats by hand: both halves are there.)
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>

enum { N = 4 };

CHECK_NOINLINE static double squares(const float *x, int n) {
  uint16_t high[N], low[N];
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    uint32_t bits;
    memcpy(&bits, x + i, sizeof bits);
    high[i] = bits >> 16;
    low[i] = bits & 0xffff;
  }
  for (int i = 0; i < n; ++i) {
    uint32_t bits = (uint32_t)high[i] << 16 | low[i];
    float y;
    memcpy(&y, &bits, sizeof y);
    sum += (double)y * y;
  }
  return sum;
}

int main(void) {
  float x[N] = {1.5f, -2.25f, 3.1f, 0.7f}, dx[N] = {0};
  __verso_grad((void *)squares, verso_dup, x, dx, verso_const, N);
  for (int i = 0; i < N; ++i)
    CHECK_EQUAL(dx[i], 2 * x[i]);
  return check_status();
}
