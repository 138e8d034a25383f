//===- swapped-bytes.c - bytes of numbers that change places --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers are written in the order of bytes of another machine, or rotated by
// whole bytes, and read back: through arrays of integers of any size, whose
// names say that they are integers, and by the intrinsics that LLVM makes of
// it. They keep their derivatives. A sum over the bytes, taken while they are
// copied, changes nothing.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <immintrin.h>
#include <stdint.h>

double __verso_jvp(void *, ...);

enum { N = 4 };

#define SWAP(BITS, V) __builtin_bswap##BITS(V)
#define LEFT(BITS, V) ((uint##BITS##_t)((V) << 8 | (V) >> (BITS - 8)))
#define RIGHT(BITS, V) ((uint##BITS##_t)((V) >> 8 | (V) << (BITS - 8)))
#define LARGER(BITS, V) ((V) > 1 ? (V) : 1)

/// sum (i + 1) x[i], by way of integers of BITS bits.
#define THERE_AND_BACK(NAME, REAL, BITS, THERE, BACK)                          \
  CHECK_NOINLINE static double NAME(const REAL *x, int n) {                    \
    REAL y[N];                                                                 \
    uint##BITS##_t part[N * sizeof(REAL) * 8 / BITS];                          \
    int parts = n * (int)sizeof(REAL) * 8 / BITS;                              \
    memcpy(part, x, n * sizeof(REAL));                                         \
    for (int i = 0; i < parts; ++i)                                            \
      part[i] = THERE(BITS, part[i]);                                          \
    memcpy(y, part, n * sizeof(REAL));                                         \
    memcpy(part, y, n * sizeof(REAL));                                         \
    for (int i = 0; i < parts; ++i)                                            \
      part[i] = BACK(BITS, part[i]);                                           \
    memcpy(y, part, n * sizeof(REAL));                                         \
    double sum = 0;                                                            \
    for (int i = 0; i < n; ++i)                                                \
      sum += (i + 1) * y[i];                                                   \
    return sum;                                                                \
  }

THERE_AND_BACK(swaps16, double, 16, SWAP, SWAP)
THERE_AND_BACK(swaps32, double, 32, SWAP, SWAP)
THERE_AND_BACK(swaps64, double, 64, SWAP, SWAP)
THERE_AND_BACK(swapsFloats, float, 32, SWAP, SWAP)
THERE_AND_BACK(turns32, double, 32, LEFT, RIGHT)
THERE_AND_BACK(turns64, double, 64, LEFT, RIGHT)
THERE_AND_BACK(turnsFloats, float, 32, RIGHT, LEFT)
THERE_AND_BACK(chooses64, double, 64, LARGER, LARGER)

/// One by one, as a stream of bytes is written and read.
CHECK_NOINLINE static double streams(const double *x, int n) {
  unsigned char stream[8 * N], *p = stream;
  for (int i = 0; i < n; ++i) {
    uint64_t bits;
    memcpy(&bits, &x[i], 8);
    for (int k = 56; k >= 0; k -= 8)
      *p++ = (unsigned char)(bits >> k);
  }
  double sum = 0;
  p = stream;
  for (int i = 0; i < n; ++i) {
    uint64_t bits = 0;
    for (int k = 0; k < 8; ++k)
      bits = bits << 8 | *p++;
    double y;
    memcpy(&y, &bits, 8);
    sum += (i + 1) * y;
  }
  return sum;
}

static unsigned checksum;

CHECK_NOINLINE static double copiesWithSum(const double *x, int n) {
  double y[N];
  const unsigned char *from = (const unsigned char *)x;
  unsigned char *to = (unsigned char *)y;
  unsigned char parity = 0;
  unsigned sum = 1;
  for (int i = 0; i < 8 * n; ++i) {
    unsigned char byte = from[i];
    parity ^= byte;
    sum = (sum ^ byte) * 16777619u;
    to[i] = byte;
  }
  checksum = sum + parity;
  double total = 0;
  for (int i = 0; i < n; ++i)
    total += (i + 1) * y[i];
  return total;
}

/// By an instruction that takes bytes as a variable says.
__attribute__((target("ssse3"))) CHECK_NOINLINE static double
shuffles(const double *x, int n) {
  static char order[16] = {7,  6,  5,  4,  3,  2,  1, 0,
                           15, 14, 13, 12, 11, 10, 9, 8};
  __m128i mask = _mm_loadu_si128((const __m128i *)order);
  double y[N], sum = 0;
  for (int i = 0; i < n; i += 2) {
    __m128i v = _mm_loadu_si128((const __m128i *)(x + i));
    _mm_storeu_si128((__m128i *)(y + i), _mm_shuffle_epi8(v, mask));
  }
  for (int i = 0; i < n; i += 2) {
    __m128i v = _mm_loadu_si128((const __m128i *)(y + i));
    __m128d back = _mm_castsi128_pd(_mm_shuffle_epi8(v, mask));
    sum += (i + 1) * back[0] + (i + 2) * back[1];
  }
  return sum;
}

#define CHECK_LINEAR(REAL, F)                                                  \
  do {                                                                         \
    REAL x[N] = {1, 2.5, 3.75, 4.125}, d[N] = {0}, v[N] = {0.5, -1, 2, 0.25};  \
    __verso_grad_void((void *)F, verso_dup, x, d, verso_const, N);             \
    double tangent = __verso_jvp((void *)F, verso_dup, x, v, verso_const, N);  \
    for (int k = 0; k < N; ++k)                                                \
      check_close(#F, __FILE__, __LINE__, d[k], k + 1, 1e-14);                 \
    check_close(#F, __FILE__, __LINE__, tangent, 0.5 - 2 + 6 + 1, 1e-14);      \
  } while (0)

int main(void) {
  CHECK_LINEAR(double, swaps16);
  CHECK_LINEAR(double, swaps32);
  CHECK_LINEAR(double, swaps64);
  CHECK_LINEAR(float, swapsFloats);
  CHECK_LINEAR(double, turns32);
  CHECK_LINEAR(double, turns64);
  CHECK_LINEAR(float, turnsFloats);
  CHECK_LINEAR(double, chooses64);
  CHECK_LINEAR(double, streams);
  CHECK_LINEAR(double, copiesWithSum);
  CHECK_LINEAR(double, shuffles);
  return check_status();
}
