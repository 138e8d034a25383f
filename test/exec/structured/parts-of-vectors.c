//===- parts-of-vectors.c - vectors that are loaded again in part ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM takes what is loaded again out of a longer vector, as the bits of an
// integer of 256; and the bits of numbers in a vector, of which the exponents
// and the mantissas are computed with.
//
// STRATEGY: structured
// FLAGS: -mavx2
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <immintrin.h>

enum { N = 8 };

CHECK_NOINLINE static double overlapping(const double *x, int kind) {
  __m256d whole = _mm256_loadu_pd(x + 1);
  __m128d first = _mm_loadu_pd(x), part = _mm_loadu_pd(x + 2);
  if (kind == 0) {
    __m256d square = whole * whole;
    return square[0] + 2 * square[1] + 3 * square[2] + 4 * square[3];
  }
  if (kind == 1) {
    __m128d product = first * part * part;
    return product[0] - 3 * product[1];
  }
  return x[3] * x[4] * whole[kind & 3];
}

/// Exponents beside mantissas: between two powers of two x + constant.
CHECK_NOINLINE static double logarithms(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i += 4) {
    __m128 v = _mm256_cvtpd_ps(_mm256_loadu_pd(x + i));
    __m128i bits = _mm_castps_si128(v);
    __m128 exponent = _mm_cvtepi32_ps(
        _mm_sub_epi32(_mm_srli_epi32(bits, 23), _mm_set1_epi32(127)));
    __m128 mantissa = _mm_castsi128_ps(
        _mm_or_si128(_mm_and_si128(bits, _mm_set1_epi32(0x7fffff)),
                     _mm_set1_epi32(0x3f800000)));
    __m128 y = exponent + mantissa;
    sum += y[0] + 2 * y[1] + 3 * y[2] + 4 * y[3];
  }
  return sum;
}

int main(void) {
  const double x[N] = {1.5, -2.25, 3.125, 0.75, -1.25, 2.5, 6.5, 0.3125};
  for (int kind = 0; kind < 3; ++kind) {
    double dx[N] = {0};
    __verso_grad((void *)overlapping, verso_dup, x, dx, verso_const, kind);
    double expected[N] = {0};
    if (kind == 0)
      for (int i = 0; i < 4; ++i)
        expected[1 + i] = 2 * (i + 1) * x[1 + i];
    if (kind == 1)
      for (int i = 0; i < 2; ++i) {
        double weight = i ? -3 : 1;
        expected[i] += weight * x[2 + i] * x[2 + i];
        expected[2 + i] += 2 * weight * x[i] * x[2 + i];
      }
    if (kind == 2) {
      expected[3] = 2 * x[3] * x[4];
      expected[4] = x[3] * x[3];
    }
    for (int i = 0; i < N; ++i)
      CHECK_EQUAL(dx[i], expected[i]);
  }
  const double y[N] = {1.5, 2.25, 3.125, 0.75, 1.25, 2.5, 6.5, 0.3125};
  double dy[N] = {0};
  __verso_grad((void *)logarithms, verso_dup, y, dy, verso_const, N);
  for (int i = 0; i < N; ++i)
    CHECK_EQUAL(dy[i], (i % 4 + 1) * exp2(-floor(log2(y[i]))));
  return check_status();
}
