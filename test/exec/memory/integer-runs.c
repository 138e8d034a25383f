//===- integer-runs.c - hashes, random numbers and bits of numbers --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers that come out of memory may hold a number's bits, or an address. The
// tape asks once for a whole run of operations on them: those of hashes and
// generators hold none. Where one of many does, all of them are followed: the
// bits that are moved, the address under its tag, and what has no derivative.
//
//===----------------------------------------------------------------------===//

#include "../forward/forward.h"

#include <stdint.h>
#include <string.h>

#define ROTATED(X, BY) ((X) << (BY) | (X) >> (64 - (BY)))
#define ROUND                                                                  \
  a += b, b = ROTATED(b, 13) ^ a, a = ROTATED(a, 32), c += d,                  \
          d = ROTATED(d, 16) ^ c, a += d, d = ROTATED(d, 21) ^ a, c += b,      \
          b = ROTATED(b, 17) ^ c, c = ROTATED(c, 32)

typedef struct {
  uint64_t state[4];
} Hasher;

CHECK_NOINLINE static uint64_t hashed(Hasher *h, uint64_t word) {
  uint64_t a = h->state[0], b = h->state[1], c = h->state[2], d = h->state[3];
  d ^= word;
  ROUND;
  ROUND;
  a ^= word;
  h->state[0] = a, h->state[1] = b, h->state[2] = c, h->state[3] = d;
  return a ^ b ^ c ^ d;
}

typedef struct {
  uint64_t key;
  double value;
} Entry;

/// 2 x[i]^2, out of a table with open addressing.
static double table(const double *x, int n) {
  enum { Size = 32 };
  Entry entries[Size];
  memset(entries, 0, sizeof entries);
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < n; ++i) {
      Hasher h = {{1, 2, 3, (uint64_t)i}};
      uint64_t at = hashed(&h, (uint64_t)i + 1) % Size;
      while (entries[at].key && entries[at].key != (uint64_t)i + 1)
        at = (at + 1) % Size;
      entries[at].key = (uint64_t)i + 1;
      entries[at].value += x[i] * x[i];
    }
  double s = 0;
  for (int i = 0; i < Size; ++i)
    s += entries[i].value;
  return s;
}

typedef struct {
  uint64_t s[4];
  double scale;
} Generator;

CHECK_NOINLINE static double drawn(Generator *g) {
  uint64_t *s = g->s, r = ROTATED(s[1] * 5, 7) * 9, t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = ROTATED(s[3], 45);
  return (double)(r >> 11) * 0x1p-53 * g->scale;
}
static double randomly(const double *x, int n) {
  Generator g = {{1, 2, 3, 4}, x[0]};
  double s = 0;
  for (int i = 0; i < 4 * n; ++i)
    s += drawn(&g) * x[i % n];
  return s;
}

/// The words of a number change places, beside others that are computed with in
/// the same run, and come back.
CHECK_NOINLINE static uint64_t turned(const uint64_t *words, int i) {
  uint64_t number = words[0], seed = words[1] * 0x9e3779b97f4a7c15u + i;
  seed ^= seed >> 29;
  seed *= 0xbf58476d1ce4e5b9u;
  uint64_t swapped = number << 32 | number >> 32;
  return seed & 1 ? swapped << 32 | swapped >> 32 : number;
}
static double bits(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double pair[2] = {x[i] * x[i], 0}, y;
    uint64_t words[2], u;
    memcpy(words, pair, sizeof words);
    words[1] = (uint64_t)i;
    u = turned(words, i);
    memcpy(&y, &u, sizeof y);
    s += y * x[0];
  }
  return s;
}

/// Addresses under tags, told from one another by a hash of the tag.
CHECK_NOINLINE static const double *untagged(const uint64_t *tagged, int i) {
  uint64_t word = tagged[i], tag = word & 7, mixed = tag * 0x9e3779b97f4a7c15u;
  mixed ^= mixed >> 32;
  mixed *= 31;
  return (const double *)(word & ~UINT64_C(7)) + (mixed == 1);
}
static double tags(const double *x, int n) {
  uint64_t tagged[8];
  for (int i = 0; i < n; ++i)
    tagged[i] = (uint64_t)(x + i) | (unsigned)(i & 7);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += *untagged(tagged, i) * x[n - 1 - i];
  return s;
}

#define CHECK_ALL(F)                                                           \
  for (int n = 1; n <= 7; ++n) {                                               \
    double x[8] = {1.5, -2, 3, 0.5, 4, -1, 2.5, 1};                            \
    CHECK_ALONG(F, x, n, 1e-14, 1e-7);                                         \
  }

int main(void) {
  CHECK_ALL(table)
  CHECK_ALL(randomly)
  CHECK_ALL(bits)
  CHECK_ALL(tags)
  return check_status();
}
