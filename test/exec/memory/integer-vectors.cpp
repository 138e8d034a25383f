//===- integer-vectors.cpp - sums of integers by vectors ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At -O0 a sum of a vector's integers is a function that takes it by reference
// (Eigen's predux): LLVM loads halves of it as vectors of two.
//
//===----------------------------------------------------------------------===//

#include "../derivative.h"
#include <emmintrin.h>

static int first(const __m128i &a) { return _mm_cvtsi128_si32(a); }
CHECK_NOINLINE static int sum(const __m128i &a) {
  __m128i halves = _mm_add_epi32(a, _mm_unpackhi_epi64(a, a));
  return first(halves) + first(_mm_shuffle_epi32(halves, 1));
}
CHECK_NOINLINE static double weighted(double x) {
  int counts[8];
  for (int i = 0; i < 8; ++i)
    counts[i] = i;
  __m128i low = _mm_loadu_si128((const __m128i *)counts),
          high = _mm_loadu_si128((const __m128i *)(counts + 4));
  return (sum(low) + 10 * sum(high)) * x * x;
}

int main() {
  CHECK_DERIVATIVE(weighted, 3.0, 6 * (6 + 10 * 22), 0);
  return check_status();
}
