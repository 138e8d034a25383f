//===- halves-moved.h - parts of arrays of two-byte numbers -----*- C -*--===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs that define `number` as a type of two bytes: what is moved from
// any place to any other one, in any way, keeps its derivative, and what is
// overwritten loses it, whether or not anybody has read it before. The same
// statements move the numbers of places, which says what to expect.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <string.h>

enum { N = 12 };

static double weighted(const number *x, const number *t) {
  double s = 0;
  for (int i = 0; i < N; ++i)
    s += (i + 1) * (double)x[i] + (i + 20) * (double)t[i];
  return s;
}

static void bytes(void *to, const void *from, int n) {
  for (int i = 0; i < n; ++i)
    ((char *)to)[i] = ((const char *)from)[i];
}

/// A function of halves and the same one of the numbers of places.
#define MOVES(NAME, ...)                                                       \
  CHECK_NOINLINE static double NAME(number *x, int to, int from, int n) {      \
    number t[N] = {0};                                                         \
    __VA_ARGS__                                                                \
    return weighted(x, t);                                                     \
  }                                                                            \
  static void NAME##_places(int *x, int *t, int to, int from, int n) {         \
    (void)t;                                                                   \
    __VA_ARGS__                                                                \
  }

MOVES(within, memmove(x + to, x + from, n * sizeof *x);)
MOVES(into_local, memcpy(t + to, x + from, n * sizeof *x);
      memmove(t, t + 1, 5 * sizeof *t);)
MOVES(zeros, memcpy(x + to, t + from, n * sizeof *x);)
MOVES(cleared, memset(x + from, 0, n * sizeof *x);
      memmove(x + to, x + from, n * sizeof *x);)
MOVES(read_before, t[3] = x[from] + 0; memcpy(x + to, t + 1, n * sizeof *x);
      memmove(t + from, x + to, n * sizeof *x);)
MOVES(by_bytes, bytes(t + to, x + from, n * sizeof *x);
      bytes(x + from, t + 1, n * sizeof *x);)
MOVES(zeros_by_bytes, bytes(x + to, t + from, n * sizeof *x);)
MOVES(one_by_one, x[to] = x[from] + 0; memmove(x + to, x, n * sizeof *x);
      memset(x + from, 0, n * sizeof *x); memcpy(t + 1, x + 2, n * sizeof *x);)
// The optimiser takes what follows out of the first integer.
MOVES(part_of_integer, (void)to, (void)from, (void)n;
      memcpy(t + 1, x + 5, 4 * sizeof *x); memmove(t + 8, t + 2, sizeof *t);
      memmove(x + 1, t + 3, sizeof *t);)
MOVES(
    volatile_bytes, for (unsigned i = 0; i < n * sizeof *x; ++i) {
      volatile char byte = ((char *)(x + from))[i];
      ((char *)(t + to))[i] = byte;
    })

typedef void of_places(int *, int *, int, int, int);

/// The adjoints of the caller's numbers, that of place i at i + 1.
static void expect(of_places *places, int to, int from, int n, double *into) {
  int of_x[N], of_t[N] = {0};
  into[0] = 0;
  for (int i = 0; i < N; ++i) {
    into[i + 1] = 0;
    of_x[i] = i + 1;
  }
  places(of_x, of_t, to, from, n);
  for (int i = 0; i < N; ++i) {
    into[of_x[i]] += i + 1;
    into[of_t[i]] += i + 20;
  }
}

#define CHECK_MOVES(NAME)                                                      \
  do {                                                                         \
    number x[N], d[N];                                                         \
    double expected[N + 1];                                                    \
    for (int i = 0; i < N; ++i) {                                              \
      x[i] = (number)(i + 1);                                                  \
      d[i] = 0;                                                                \
    }                                                                          \
    expect(NAME##_places, to, from, n, expected);                              \
    __verso_grad((void *)NAME, verso_dup, x, d, to, from, n);                  \
    for (int i = 0; i < N; ++i)                                                \
      CHECK_EQUAL((double)d[i], expected[i + 1]);                              \
  } while (0)

static void test_moves(void) {
  for (int to = 0; to < 5; ++to)
    for (int from = 0; from < 5; ++from)
      for (int n = 1; n < 7; ++n) {
        CHECK_MOVES(within);
        CHECK_MOVES(into_local);
        CHECK_MOVES(zeros);
        CHECK_MOVES(cleared);
        CHECK_MOVES(read_before);
        CHECK_MOVES(by_bytes);
        CHECK_MOVES(zeros_by_bytes);
        CHECK_MOVES(one_by_one);
        CHECK_MOVES(volatile_bytes);
      }
  const int to = 0, from = 0, n = 0;
  CHECK_MOVES(part_of_integer);
}
