//===- halves-cleared-by-bytes.c - halves overwritten in part ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any bytes of an array of halves are cleared, or get bytes of an integer, or
// of a cleared array, so that the first and the last half may be overwritten in
// part; these are assigned then. All halves beside them keep their derivatives,
// in the user's memory and in a local array, read before or not. What was
// cleared byte by byte, all of it, is a constant, and not an error.
//
// UNCHECKED: adjoints are rounded to the cells' few bits
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>
#include <string.h>

typedef _Float16 number;
typedef uint32_t word __attribute__((may_alias, aligned(1)));
typedef uint16_t part __attribute__((may_alias, aligned(1)));

enum { N = 10 };

CHECK_NOINLINE static void at_once(char *p, int n) { memset(p, 0, n); }

CHECK_NOINLINE static void one_by_one(char *p, int n) {
  for (int i = 0; i < n; ++i)
    ((volatile char *)p)[i] = 0;
}

CHECK_NOINLINE static void from_behind(char *p, int n) {
  while (n--)
    ((volatile char *)p)[n] = 1;
}

CHECK_NOINLINE static void as_integers(char *p, int n) {
  for (; n >= 4; n -= 4, p += 4)
    *(word *)p = 0;
  for (; n >= 2; n -= 2, p += 2)
    *(part *)p = 0;
  if (n)
    *p = 0;
}

CHECK_NOINLINE static void by_words_of_zeros(char *p, int n) {
  number zeros[N] = {0};
  char *q = (char *)zeros + 2;
  for (; n >= 4; n -= 4, p += 4, q += 4)
    *(word *)p = *(word *)q;
  memcpy(p, q, n);
}

/// Halves that are overwritten in part are assigned.
static void overwrite(void (*clear)(char *, int), number *x, int from, int n) {
  clear((char *)x + from, n);
  if (from % 2)
    x[from / 2] = 1;
  if ((from + n) % 2)
    x[(from + n) / 2] = 1;
}

static double weighted(const number *x) {
  double sum = 0;
  for (int i = 0; i < N; ++i)
    sum += (i + 1) * (double)x[i];
  return sum;
}

#define OVERWRITES(CLEAR)                                                      \
  CHECK_NOINLINE static double CLEAR##_in_place(number *x, int from, int n) {  \
    overwrite(CLEAR, x, from, n);                                              \
    return 0;                                                                  \
  }                                                                            \
  CHECK_NOINLINE static double CLEAR##_read(number *x, int from, int n) {      \
    overwrite(CLEAR, x, from, n);                                              \
    return weighted(x);                                                        \
  }                                                                            \
  CHECK_NOINLINE static double CLEAR##_twice(number *x, int from, int n) {     \
    double all = weighted(x);                                                  \
    overwrite(CLEAR, x, from, n);                                              \
    return all + weighted(x);                                                  \
  }                                                                            \
  CHECK_NOINLINE static double CLEAR##_local(number *x, int from, int n) {     \
    number t[N];                                                               \
    for (int i = 0; i < N; ++i)                                                \
      t[i] = 2 * x[i];                                                         \
    overwrite(CLEAR, t, from, n);                                              \
    return weighted(t);                                                        \
  }                                                                            \
  CHECK_NOINLINE static double CLEAR##_copy(number *x, int from, int n) {      \
    number t[N];                                                               \
    memcpy(t, x, sizeof t);                                                    \
    overwrite(CLEAR, t, from, n);                                              \
    return weighted(t);                                                        \
  }

OVERWRITES(at_once)
OVERWRITES(one_by_one)
OVERWRITES(from_behind)
OVERWRITES(as_integers)
OVERWRITES(by_words_of_zeros)

#define CHECK_KEPT(F, SEED, KEPT, LOST)                                        \
  do {                                                                         \
    _Alignas(4) number x[N + 2] = {0}, d[N + 2] = {0};                         \
    for (int i = 0; i < N; ++i) {                                              \
      x[i + odd] = 1;                                                          \
      d[i + odd] = SEED;                                                       \
    }                                                                          \
    __verso_grad((void *)F, verso_dup, x + odd, d + odd, verso_const, from,    \
                 verso_const, n);                                              \
    for (int i = 0; i < N; ++i)                                                \
      CHECK_EQUAL(d[i + odd],                                                  \
                  i < from / 2 || i >= (from + n + 1) / 2 ? KEPT : LOST);      \
  } while (0)

#define CHECK_ALL(CLEAR)                                                       \
  do {                                                                         \
    CHECK_KEPT(CLEAR##_in_place, 1 + i, 1 + i, 0);                             \
    CHECK_KEPT(CLEAR##_read, 0, 1 + i, 0);                                     \
    CHECK_KEPT(CLEAR##_twice, 0, 2 * (1 + i), 1 + i);                          \
    CHECK_KEPT(CLEAR##_local, 0, 2 * (1 + i), 0);                              \
    CHECK_KEPT(CLEAR##_copy, 0, 1 + i, 0);                                     \
  } while (0)

int main(void) {
  for (int odd = 0; odd < 2; ++odd)
    for (int from = 2; from < 7; ++from)
      for (int n = 1; n < 9; ++n) {
        CHECK_ALL(at_once);
        CHECK_ALL(one_by_one);
        CHECK_ALL(from_behind);
        CHECK_ALL(as_integers);
        CHECK_ALL(by_words_of_zeros);
      }
  return check_status();
}
