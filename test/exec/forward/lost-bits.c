//===- lost-bits.c - bits of an active number that become something else ===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The high word of a double is overwritten, as fdlibm does. No tangent that is
// wrong in silence: the right one, or a NaN.
//
//===----------------------------------------------------------------------===//

#include "forward.h"
#include <stdint.h>

CHECK_NOINLINE static double high_word(double x) {
  volatile double a = x;
  ((volatile uint32_t *)&a)[1] = 0x3ff00000;
  return a * a;
}
// A hash of the bits carries nothing, and says so by its use as an index.
CHECK_NOINLINE static double hashed(double x) {
  static const double table[4] = {1, 2, 3, 4};
  uint64_t bits;
  memcpy(&bits, &x, 8);
  return table[bits * 0x9e3779b97f4a7c15u >> 62] * x;
}

#define CHECK_OR_NAN(got, expected)                                            \
  do {                                                                         \
    double got_ = (got);                                                       \
    if (!isnan(got_))                                                          \
      CHECK_CLOSE(got_, expected, 1e-12);                                      \
  } while (0)

int main(void) {
  CHECK_OR_NAN(__verso_jvp(high_word, verso_dup, 2.0, 0.1), NAN);
  CHECK_CLOSE(__verso_jvp(hashed, verso_dup, 2.5, 1.0), hashed(2.5) / 2.5,
              1e-15);
  // What does not vary may be taken apart.
  CHECK_EQUAL(__verso_jvp(high_word, verso_const, 2.0), 0);
  return check_status();
}
