//===- unions-and-bits.c - numbers as integers --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unions, moves through integers of every width, sign masks, exponent
// arithmetic that the rules know, comparison of bits.
//
//===----------------------------------------------------------------------===//

// The sign is cleared in an integer that was loaded as one at -O0: a NaN there.
// LEVELS: O1 O2g O3

#include "forward.h"
#include <stdint.h>

union cell {
  double d;
  uint64_t u;
  float f[2];
  uint32_t w[2];
};
CHECK_NOINLINE static void moved(double *x, double *y) {
  union cell c, e;
  c.d = x[0] * x[1];
  e.u = c.u;
  y[0] = e.d;
  e.w[0] = c.w[0];
  e.w[1] = c.w[1];
  y[1] = e.d * x[2];
  uint64_t bits;
  memcpy(&bits, &x[2], 8);
  memcpy(&y[2], &bits, 8);
  uint32_t low = (uint32_t)bits, high = (uint32_t)(bits >> 32);
  uint64_t joined = ((uint64_t)high << 32) | low;
  memcpy(&y[3], &joined, 8);
}
CHECK_NOINLINE static double absolute(double x) {
  uint64_t bits;
  memcpy(&bits, &x, 8);
  bits &= ~(UINT64_C(1) << 63);
  memcpy(&x, &bits, 8);
  return x;
}
CHECK_NOINLINE static double negated(double x) {
  uint64_t bits;
  memcpy(&bits, &x, 8);
  bits ^= UINT64_C(1) << 63;
  memcpy(&x, &bits, 8);
  return x;
}
CHECK_NOINLINE static void signs(double *x, double *y) {
  y[0] = absolute(x[0]) * x[1];
  y[1] = absolute(-x[1] * x[2]);
  y[2] = negated(x[3] * x[0]) * x[1];
  y[3] = copysign(x[2], x[0]) + fabs(x[3]);
}
CHECK_NOINLINE static void compared(double *x, double *y) {
  for (int i = 0; i < 4; ++i) {
    int64_t a, b;
    memcpy(&a, &x[i], 8);
    memcpy(&b, &x[(i + 1) % 4], 8);
    y[i] = a < b ? x[i] * x[i] : 3 * x[(i + 2) % 4];
  }
}
CHECK_NOINLINE static void reused(double *x, double *y) {
  union cell c;
  c.d = x[0];
  c.f[0] = 2; // The double is gone.
  c.f[1] = (float)3;
  y[0] = c.f[0] * x[1] + c.f[1];
  c.u = 17;
  y[1] = (double)c.u * x[2];
  c.d = x[2] * 2;
  y[2] = c.d;
  y[3] = x[3];
}

int main(void) {
  double x[] = {1.5, 2, -0.5, 4};
  // Reverse mode wants to know the type of what only moves; not so forward
  // mode.
  double dx[] = {1, 10, 100, 1000}, y[4], dy[4] = {7, 7, 7, 7};
  __verso_jvp_void(moved, verso_dup, x, dx, verso_dup, y, dy);
  CHECK_CLOSE(dy[0], 1 * 2 + 1.5 * 10, 1e-15);
  CHECK_CLOSE(dy[1], (1 * 2 + 1.5 * 10) * -0.5 + 3 * 100, 1e-15);
  CHECK_EQUAL(dy[2], 100);
  CHECK_EQUAL(dy[3], 100);
  CHECK_TRANSPOSE(signs, 4, 4, x);
  CHECK_TRANSPOSE(compared, 4, 4, x);
  CHECK_TRANSPOSE(reused, 4, 4, x);
  return check_status();
}
