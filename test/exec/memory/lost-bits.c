//===- lost-bits.c - integer arithmetic on the bits of numbers ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bits of numbers go through integer arithmetic, in pieces of any size, and
// come back as numbers. Nobody knows the derivative: a gradient ends in an
// error, whatever the strategy, and a tangent is not a number. Neither is zero,
// nor that of other numbers. And flags of packed structs, which lie between the
// bytes of numbers, are no part of them.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <immintrin.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

typedef unsigned __int128 uint128_t;

double __verso_jvp(void *, ...);

/// What Verso ends a program with.
enum { N = 2, Refused = 86 };

/// The bits of x are changed and changed back.
#define CHANGED(NAME, T, THERE, BACK)                                          \
  CHECK_NOINLINE static double NAME(const double *x, int given) {              \
    CHECK_UNUSED const T key = (T)given;                                       \
    double y[N];                                                               \
    T part[sizeof y / (sizeof(T))];                                            \
    memcpy(part, x, sizeof y);                                                 \
    for (unsigned i = 0; i < sizeof y / (sizeof(T)); ++i) {                    \
      T v = part[i];                                                           \
      part[i] = (T)(THERE);                                                    \
    }                                                                          \
    memcpy(y, part, sizeof y);                                                 \
    memcpy(part, y, sizeof y);                                                 \
    for (unsigned i = 0; i < sizeof y / (sizeof(T)); ++i) {                    \
      T v = part[i];                                                           \
      part[i] = (T)(BACK);                                                     \
    }                                                                          \
    memcpy(y, part, sizeof y);                                                 \
    return 3 * y[0] + 5 * y[1];                                                \
  }
#define FOR_SIZES(NAME, THERE, BACK)                                           \
  CHANGED(NAME##8, uint8_t, THERE, BACK)                                       \
  CHANGED(NAME##16, uint16_t, THERE, BACK)                                     \
  CHANGED(NAME##32, uint32_t, THERE, BACK)                                     \
  CHANGED(NAME##64, uint64_t, THERE, BACK)                                     \
  CHANGED(NAME##128, uint128_t, THERE, BACK)

FOR_SIZES(exclusive, v ^ key, v ^ key)
FOR_SIZES(sum, v + key, v - key)
FOR_SIZES(product, v * 3u,
          1u * v * (__typeof__(v))((__typeof__(v))-1 / 3 * 2 + 1))
FOR_SIZES(turned, v << 3 | v >> (8 * sizeof v - 3),
          v >> 3 | v << (8 * sizeof v - 3))
CHANGED(reversed, uint64_t, __builtin_bitreverse64(v),
        __builtin_bitreverse64(v))
CHANGED(reversedBytes, uint8_t, __builtin_bitreverse8(v),
        __builtin_bitreverse8(v))
CHANGED(saturated, uint64_t, __builtin_elementwise_add_sat(v, key),
        __builtin_elementwise_sub_sat(v, key))
CHANGED(checkedSum, uint64_t, ({
          uint64_t r;
          __builtin_add_overflow(v, key, &r);
          r;
        }),
        v - key)

/// One byte, where it lies.
CHECK_NOINLINE static double changesSign(double *x, int key) {
  ((unsigned char *)x)[15] ^= 0x80 * key;
  return 3 * x[0] + 5 * x[1];
}

/// A part of a float's bits.
CHECK_NOINLINE static double masksFloats(const double *x,
                                         CHECK_UNUSED int key) {
  double y[2];
  for (int i = 0; i < 2; ++i) {
    float f = (float)x[i];
    uint32_t bits;
    memcpy(&bits, &f, 4);
    bits &= 0xffff0000u;
    memcpy(&f, &bits, 4);
    y[i] = f;
  }
  return 3 * y[0] + 5 * y[1];
}

/// An output of the caller.
CHECK_NOINLINE static double writes(const double *x, int key) {
  static double y[2];
  for (int i = 0; i < 2; ++i)
    y[i] = (3 + 2 * i) * x[i];
  ((unsigned char *)y)[7 + 8 * key] &= 0x7f;
  return y[0] + y[1];
}

typedef struct __attribute__((packed)) {
  uint8_t flags;
  double d;
  uint16_t count : 5, kind : 11;
} Packed;

CHECK_NOINLINE static double packs(const double *x, int key) {
  Packed p[2] = {{0}};
  double sum = 0;
  for (int i = 0; i < 2; ++i) {
    p[i].d = (3 + 2 * i) * x[i];
    p[i].flags ^= key;
    p[i].count += 3;
    p[i].kind ^= key;
  }
  for (int i = 0; i < 2; ++i)
    sum += p[i].d * (p[i].flags == key) * (p[i].count == 3);
  return sum;
}

/// An instruction that computes with bytes.
CHECK_NOINLINE static double adds(const double *x, int key) {
  double y[2];
  __m128i one = _mm_set1_epi8(key);
  __m128i v = _mm_loadu_si128((const __m128i *)x);
  v = _mm_sub_epi8(_mm_avg_epu8(v, _mm_add_epi8(v, one)), one);
  _mm_storeu_si128((__m128i *)y, v);
  return 3 * (y[0] - y[0] + x[0]) + 5 * (y[1] - y[1] + x[1]);
}

/// Of a function whose derivative is 3 and SECOND; where the compiler has seen
/// through it there is no error.
#define CHECK_REVERSE(F, SECOND)                                               \
  do {                                                                         \
    double x[N] = {1.5, 2}, d[N] = {0};                                        \
    fflush(stderr);                                                            \
    int status;                                                                \
    pid_t child = fork();                                                      \
    if (child == 0) {                                                          \
      fclose(stderr);                                                          \
      __verso_grad_void((void *)F, verso_dup, x, d, verso_const, 1);           \
      _exit(d[0] != 3 || d[1] != SECOND);                                      \
    }                                                                          \
    CHECK(waitpid(child, &status, 0) == child);                                \
    CHECK(WIFEXITED(status));                                                  \
    CHECK(WEXITSTATUS(status) == Refused || WEXITSTATUS(status) == 0);         \
  } while (0)
#define CHECK_LOST(F, SECOND)                                                  \
  do {                                                                         \
    double x[N] = {1.5, 2}, v[N] = {2, 1};                                     \
    double tangent = __verso_jvp((void *)F, verso_dup, x, v, verso_const, 1);  \
    if (!isnan(tangent))                                                       \
      CHECK_EQUAL(tangent, 6 + SECOND);                                        \
    CHECK_REVERSE(F, SECOND);                                                  \
  } while (0)
#define CHECK_SIZES(F)                                                         \
  do {                                                                         \
    CHECK_LOST(F##8, 5);                                                       \
    CHECK_LOST(F##16, 5);                                                      \
    CHECK_LOST(F##32, 5);                                                      \
    CHECK_LOST(F##64, 5);                                                      \
    CHECK_LOST(F##128, 5);                                                     \
  } while (0)

int main(void) {
  double x[N] = {1.5, 2}, d[N] = {0};
  __verso_grad_void((void *)packs, verso_dup, x, d, verso_const, 1);
  CHECK_EQUAL(d[0], 3);
  CHECK_EQUAL(d[1], 5);
  CHECK_SIZES(exclusive);
  CHECK_SIZES(sum);
  CHECK_SIZES(product);
  CHECK_SIZES(turned);
  CHECK_LOST(reversed, 5);
  CHECK_LOST(reversedBytes, 5);
  CHECK_LOST(saturated, 5);
  CHECK_LOST(checkedSum, 5);
  CHECK_REVERSE(changesSign, -5);
  CHECK_REVERSE(writes, 5);
  CHECK_REVERSE(adds, 5);
  CHECK_LOST(masksFloats, 5);
  return check_status();
}
