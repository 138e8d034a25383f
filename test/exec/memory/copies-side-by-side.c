//===- copies-side-by-side.c - a number's bits, twice in an integer -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One float is stored twice by one integer, or a double by one of 128 bits.
// LLVM multiplies by 2^32 + 1; so may a program. What is read from the upper
// copy has the derivative of the number.
//
//===----------------------------------------------------------------------===//

#include "../derivative.h"

#include <stdint.h>

static uint32_t bits(float x) {
  uint32_t b;
  memcpy(&b, &x, sizeof b);
  return b;
}

CHECK_NOINLINE static void fill(float *to, int pairs, float x) {
  uint64_t both = bits(x) | (uint64_t)bits(x) << 32;
  for (int i = 0; i < pairs; i++)
    memcpy(to + 2 * i, &both, sizeof both);
}
CHECK_NOINLINE static double filled(double x) {
  float a[4];
  fill(a, 2, (float)(x * x));
  return a[0] + 2 * a[1] * a[1] + 3 * a[2] * a[3];
}

union two {
  struct {
    float a, b;
  };
  uint64_t bits;
};
CHECK_NOINLINE static double of_union(union two u) { return u.a * u.a + u.b; }
CHECK_NOINLINE static double by_union(double x) {
  union two u;
  u.a = (float)x;
  u.b = (float)x;
  return of_union(u) + u.b;
}

CHECK_NOINLINE static double multiplied(double x) {
  float a[2];
  uint64_t both = bits((float)x) * UINT64_C(0x100000001);
  memcpy(a, &both, sizeof both);
  return a[0] * 3 + a[1] * a[1];
}
CHECK_NOINLINE static double added(double x) {
  float a[2];
  uint64_t one = bits((float)x), both = (one << 32) + one;
  memcpy(a, &both, sizeof both);
  return a[0] * 3 + a[1] * a[1];
}

CHECK_NOINLINE static double doubles(double x) {
  double a[2], y = x * x;
  uint64_t one;
  memcpy(&one, &y, sizeof one);
  unsigned __int128 both = one | (unsigned __int128)one << 64;
  memcpy(a, &both, sizeof both);
  return a[0] * 3 + a[1] * a[1];
}

int main(void) {
  for (int i = 1; i < 6; i++) {
    double x = 0.25 * i;
    CHECK_DERIVATIVE(filled, x, 2 * x + 20 * x * x * x, 1e-5);
    CHECK_DERIVATIVE(by_union, x, 2 * x + 2, 1e-5);
    CHECK_DERIVATIVE(multiplied, x, 3 + 2 * x, 1e-5);
    CHECK_DERIVATIVE(added, x, 3 + 2 * x, 1e-5);
    CHECK_DERIVATIVE(doubles, x, 6 * x + 4 * x * x * x, 1e-13);
  }
  return check_status();
}
