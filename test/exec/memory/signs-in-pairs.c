//===- signs-in-pairs.c - two floats with other signs in one integer ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sign is copied in the bits, and two such floats are put together as one
// integer (Highway's vectors without SIMD): the image of lost bits beside that
// of a number was another number's.
//
//===----------------------------------------------------------------------===//

#include "../derivative.h"
#include <stdint.h>

static uint32_t bits(float x) {
  uint32_t b;
  memcpy(&b, &x, sizeof b);
  return b;
}
static uint32_t copied_sign(float to, float from) {
  return (bits(from) & 0x80000000u) | (bits(to) & 0x7fffffffu);
}
CHECK_NOINLINE static double pairs(double x) {
  float v[4] = {(float)x, -2 * (float)x, 3 * (float)x, -4 * (float)x}, r[4];
  for (int i = 0; i < 4; i += 2) {
    uint64_t low = copied_sign(v[i] * v[i], v[i]);
    uint64_t high = copied_sign(v[i + 1] * v[i + 1], v[i + 1]);
    uint64_t both = low | high << 32;
    memcpy(r + i, &both, sizeof both);
  }
  // (1 - 4 + 9 - 16) x^2 with the factors x + 4, -2 x + 4, ...
  float sum = 0;
  for (int i = 0; i < 4; i++)
    sum += r[i] * (v[i] + 4);
  return sum;
}

int main(void) {
  // (1 + 8 + 27 + 64) x^3 - 40 x^2 for x > 0
  CHECK_DERIVATIVE(pairs, 1.0, 300 - 80, 1e-6);
  CHECK_DERIVATIVE(pairs, 0.5, 75 - 40, 1e-6);
  return check_status();
}
