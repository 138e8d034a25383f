//===- halves-and-flags.c - two-byte numbers beside what is made of bits --===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A two-byte number shares its word of shadow with its neighbour. What integer
// arithmetic made of the number's bits, and is kept beside it, is no part of it:
// a checksum before or behind a half leaves the half's gradient as it is.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>

enum { N = 4 };

struct Behind {
  _Float16 number;
  uint16_t sum;
};

struct Before {
  uint16_t sum;
  _Float16 number;
};

#define WEIGHTED(NAME, STRUCT)                                                 \
  CHECK_NOINLINE static double NAME(const double *x) {                         \
    struct STRUCT p[N];                                                        \
    double total = 0;                                                          \
    for (int i = 0; i < N; ++i) {                                              \
      p[i].number = (_Float16)x[i];                                            \
      uint16_t bits;                                                           \
      memcpy(&bits, &p[i].number, sizeof bits);                                \
      p[i].sum = (uint16_t)(bits * 3 + 1);                                     \
    }                                                                          \
    for (int i = 0; i < N; ++i)                                                \
      total += (i + 1) * (double)p[i].number + (p[i].sum == 77);               \
    return total;                                                              \
  }

WEIGHTED(behind, Behind)
WEIGHTED(before, Before)

int main(void) {
  double x[N] = {1, 2, 3, 4}, behindAdjoint[N] = {0}, beforeAdjoint[N] = {0};
  __verso_grad((void *)behind, verso_dup, x, behindAdjoint);
  __verso_grad((void *)before, verso_dup, x, beforeAdjoint);
  for (int i = 0; i < N; ++i) {
    CHECK_EQUAL(behindAdjoint[i], i + 1);
    CHECK_EQUAL(beforeAdjoint[i], i + 1);
  }
  return check_status();
}
