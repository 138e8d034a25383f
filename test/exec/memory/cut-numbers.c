//===- cut-numbers.c - numbers of which another function keeps a part -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that is not inlined replaces or clears some of the bytes of a
// number, and hands on the rest: nobody knows the derivative, and what is left
// of an ID, which is zero, must not look like a constant. What is taken to
// pieces by one function and put together by another one is a number again,
// unless it was a number of other pieces on the way (an error); and counters
// beside a number are none.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

double __verso_jvp(void *, ...);

/// What Verso ends a program with.
enum { N = 3, Refused = 86 };

/// The bits of y, a TYPE, by way of a function that is not inlined.
#define BY_BITS(NAME, TYPE, BITS, WITH)                                        \
  CHECK_NOINLINE static BITS NAME##Bits(BITS u, CHECK_UNUSED int i) {          \
    return WITH;                                                               \
  }                                                                            \
  CHECK_NOINLINE static TYPE NAME##Number(TYPE y, int i) {                     \
    BITS u;                                                                    \
    memcpy(&u, &y, sizeof u);                                                  \
    u = NAME##Bits(u, i);                                                      \
    memcpy(&y, &u, sizeof u);                                                  \
    return y;                                                                  \
  }                                                                            \
  static double NAME(const double *x, int n) {                                 \
    double sum = 0;                                                            \
    for (int i = 0; i < n; ++i)                                                \
      sum += NAME##Number((TYPE)(x[i] * x[i]), i);                             \
    return sum;                                                                \
  }

BY_BITS(clearsLow, float, uint32_t, u & 0xffff0000u)
BY_BITS(countsLow, float, uint32_t, (u & 0xffff0000u) | (uint16_t)i)
BY_BITS(countsHigh, float, uint32_t, (u & 0xffffu) | (uint32_t)(i + 1) << 28)
BY_BITS(changesCut, float, uint32_t, (u & 0xffff0000u) ^ 0x80000000u)
BY_BITS(clearsByte, double, uint64_t, u & ~0xffull)
BY_BITS(countsByte, double, uint64_t,
        (u & ~0xff0000ull) | (uint64_t)(i & 7) << 16)
BY_BITS(countsWord, double, uint64_t, (u & ~0xffffffffull) | (uint32_t)i)
BY_BITS(countsExponent, double, uint64_t,
        (u & 0xffffffffffffull) | (uint64_t)(0x3ff0 + i) << 48)

typedef struct {
  short a, b;
  float f;
} Record;

/// The same of a record that is passed in a register, WITH its bits u.
#define OF_RECORD(NAME, WITH)                                                  \
  CHECK_NOINLINE static Record NAME##Record(Record r, CHECK_UNUSED int i) {    \
    uint64_t u;                                                                \
    memcpy(&u, &r, sizeof u);                                                  \
    u = WITH;                                                                  \
    memcpy(&r, &u, sizeof u);                                                  \
    return r;                                                                  \
  }                                                                            \
  static double NAME(const double *x, int n) {                                 \
    double sum = 0;                                                            \
    for (int k = 0; k < n; ++k) {                                              \
      Record r = {1, 2, (float)(x[k] * x[k])};                                 \
      for (int i = 0; i < n; ++i)                                              \
        r = NAME##Record(r, i);                                                \
      sum += r.f * (r.a == n - 1 || r.b == 2);                                 \
    }                                                                          \
    return sum;                                                                \
  }

OF_RECORD(cutsRecord, (u & ~(0xffffull << 32)) | (uint64_t)(uint16_t)i << 32)
OF_RECORD(counts, (u & ~0xffffull) | (uint16_t)i)
OF_RECORD(countsAbove, (u & ~0xffff0000ull) | 2u << 16)

/// A part of the record that is computed of the float's own bits.
CHECK_NOINLINE static Record ownBits(Record r, int i) {
  uint32_t u;
  memcpy(&u, &r.f, sizeof u);
  r.a = (short)i;
  r.b = (short)(u >> 30);
  return r;
}
static double beside(const double *x, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    Record r = ownBits((Record){1, 2, (float)(x[k] * x[k])}, k);
    sum += r.f * (r.a == k);
  }
  return sum;
}

/// In pieces, each as an integer of the whole's size, and back.
CHECK_NOINLINE static uint32_t joined(uint32_t low, uint32_t high) {
  return low | high << 16;
}
BY_BITS(pieces, float, uint32_t, joined(u & 0xffffu, u >> 16))
CHECK_NOINLINE static uint64_t swapped(uint64_t u) {
  return u << 48 | (u & 0xffff0000ull) << 16 | (u >> 16 & 0xffff0000ull) |
         u >> 48;
}
BY_BITS(swaps, double, uint64_t, swapped(swapped(u)))
BY_BITS(rebuilds, double, uint64_t,
        (u & 0xffull) | (u & 0xff00ull) | (u & 0xffff0000ull) |
            (u & 0xffffffull << 32) | (u & 0xffull << 56))

/// Bits that are set in the middle of the float.
OF_RECORD(setsMiddle, u | (uint64_t)(i + 1) << 40)

typedef struct {
  float f, g;
} Pair;

/// The same of two floats, which the ABI passes as a vector.
#define OF_PAIR(NAME, WITH)                                                    \
  CHECK_NOINLINE static Pair NAME##Pair(Pair p, CHECK_UNUSED uint64_t m) {     \
    uint64_t u, v = 0;                                                         \
    memcpy(&u, &p, sizeof u);                                                  \
    Pair other = {4, 5};                                                       \
    memcpy(&v, &other, sizeof v);                                              \
    u = WITH;                                                                  \
    memcpy(&p, &u, sizeof u);                                                  \
    return p;                                                                  \
  }                                                                            \
  static double NAME(const double *x, int n) {                                 \
    double sum = 0;                                                            \
    for (int k = 0; k < n; ++k) {                                              \
      Pair p = {(float)(x[k] * x[k]), 1};                                      \
      p = NAME##Pair(p, 0xffffffffull);                                        \
      p = NAME##Pair(p, 0xffffffffull);                                        \
      sum += p.g == 5 ? p.f : p.f * p.g;                                       \
    }                                                                          \
    return sum;                                                                \
  }

OF_PAIR(turns, u << 16 | u >> 48)
OF_PAIR(swapsHalves,
        (u & 0xffff0000ffffull) << 16 | (u >> 16 & 0xffff0000ffffull))
OF_PAIR(blends, (u & m) | (v & ~m))

/// A constant in the lower word of a record alone: its tangent is no address.
static Record kept;
CHECK_NOINLINE static void addsToKept(int k) {
  uint64_t u;
  memcpy(&u, &kept, sizeof u);
  u += (uint64_t)k << 52;
  memcpy(&kept, &u, sizeof u);
}
static double addsInMemory(const double *x, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    kept = (Record){0, 0, (float)(x[k] * x[k])};
    addsToKept(3);
    sum += kept.f;
  }
  return sum;
}

/// Of a sum of squares, which it is unless bits are lost.
#define CHECK_SQUARES(F)                                                       \
  do {                                                                         \
    double x[N] = {1.5, 0.5, 3}, d[N] = {0};                                   \
    __verso_grad_void((void *)F, verso_dup, x, d, verso_const, N);             \
    for (int i = 0; i < N; ++i) {                                              \
      double t[N] = {0};                                                       \
      t[i] = 1;                                                                \
      CHECK_EQUAL(d[i], 2 * x[i]);                                             \
      CHECK_EQUAL(__verso_jvp((void *)F, verso_dup, x, t, verso_const, N),     \
                  2 * x[i]);                                                   \
    }                                                                          \
  } while (0)
#define CHECK_REVERSE(F, OR_RIGHT)                                             \
  do {                                                                         \
    double x[N] = {1.1, 0.3, 3.7}, d[N] = {0};                                 \
    fflush(stderr);                                                            \
    int status;                                                                \
    pid_t child = fork();                                                      \
    if (child == 0) {                                                          \
      fclose(stderr);                                                          \
      __verso_grad_void((void *)F, verso_dup, x, d, verso_const, N);           \
      _exit(OR_RIGHT ? d[0] != 2 * x[0] || d[2] != 2 * x[2] : 0);              \
    }                                                                          \
    CHECK(waitpid(child, &status, 0) == child);                                \
    CHECK(WIFEXITED(status));                                                  \
    CHECK(WEXITSTATUS(status) == Refused ||                                    \
          (OR_RIGHT && WEXITSTATUS(status) == 0));                             \
  } while (0)
/// The tangents' bytes are not zero at any place.
#define CHECK_FORWARD(F, OR_RIGHT)                                             \
  do {                                                                         \
    double x[N] = {1.1, 0.3, 3.7}, t[N] = {0.1, 0.7, 0.3};                     \
    double tangent = __verso_jvp((void *)F, verso_dup, x, t, verso_const, N);  \
    CHECK(isnan(tangent) || (OR_RIGHT && fabs(tangent - 2.86) < 1e-6));        \
  } while (0)
#define CHECK_LOST(F)                                                          \
  do {                                                                         \
    CHECK_FORWARD(F, 0);                                                       \
    CHECK_REVERSE(F, 0);                                                       \
  } while (0)
/// Where it is in sight that bits are only cleared, that is a rounding.
#define CHECK_ROUNDED(F)                                                       \
  do {                                                                         \
    CHECK_FORWARD(F, 1);                                                       \
    CHECK_REVERSE(F, 1);                                                       \
  } while (0)

int main(void) {
  CHECK_ROUNDED(clearsLow);
  CHECK_LOST(countsLow);
  CHECK_LOST(countsHigh);
  CHECK_LOST(changesCut);
  CHECK_ROUNDED(clearsByte);
  CHECK_LOST(countsByte);
  CHECK_REVERSE(countsWord, 0); /* J v is cut to the upper word. */
  CHECK_LOST(countsExponent);
  CHECK_LOST(cutsRecord);
  CHECK_LOST(setsMiddle);
  CHECK_LOST(addsInMemory);
  CHECK_ROUNDED(turns);
  CHECK_ROUNDED(swapsHalves);
  CHECK_SQUARES(blends);
  CHECK_SQUARES(counts);
  CHECK_SQUARES(countsAbove);
  CHECK_SQUARES(beside);
  CHECK_SQUARES(pieces);
  CHECK_SQUARES(swaps);
  CHECK_SQUARES(rebuilds);
  return check_status();
}
