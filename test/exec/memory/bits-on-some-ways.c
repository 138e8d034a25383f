//===- bits-on-some-ways.c - integers of bits, or of none ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An integer that is computed of a number's bits on some ways is lost there
// alone: the way that was taken tells, through branches and loops whose blocks
// do not dominate the conversion. (The others: driver/value-of-lost-bits.c.)
//
//===----------------------------------------------------------------------===//

#include "../derivative.h"
#include <stdint.h>

static uint32_t bits(float x) {
  uint32_t b;
  memcpy(&b, &x, sizeof b);
  return b;
}
static volatile int Hashes = 0; // Nobody takes that way.

CHECK_NOINLINE static double branches(double x) {
  uint32_t b = 7;
  if (Hashes) {
    uint32_t h = bits((float)x);
    h ^= h >> 15;
    b = h * 2654435761u;
  }
  return (double)b * x * x;
}
CHECK_NOINLINE static double loops(double x) {
  uint32_t b = 1;
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    sum += (double)b * x * i;
    if (Hashes == i + 1)
      b = (bits((float)(x * i)) * 2654435761u) ^ b;
    else
      b = b * 3 + i;
  }
  return sum;
}
/// In a function of its own, which not every run comes to.
CHECK_NOINLINE static double reduced(double x, int *quadrant) {
  uint32_t b = bits((float)x) * 2654435761u;
  *quadrant = b >> 30;
  return (double)(int32_t)b * 0x1p-31;
}
CHECK_NOINLINE static double large_ones_reduced(double x) {
  int quadrant = 0;
  double y = x;
  if (fabs(x) > 1e5)
    y = reduced(x, &quadrant);
  return y * y + quadrant;
}

int main(void) {
  CHECK_DERIVATIVE(branches, 1.5, 21, 1e-14);
  // b: 1, 3, 10, 32
  CHECK_DERIVATIVE(loops, 1.5, 3 + 2 * 10 + 3 * 32, 1e-14);
  CHECK_DERIVATIVE(large_ones_reduced, 1.5, 3, 1e-14);
  return check_status();
}
