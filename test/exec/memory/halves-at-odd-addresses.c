//===- halves-at-odd-addresses.c - two-byte numbers at any address -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Halves of packed structs, in local variables: they are stored, read,
// overwritten in place, moved to one another and cleared. The optimiser makes
// such ones of arrays, too, that are cleared from the middle of a half on, and
// takes halves out of the middle of integers that begin there.
//
// UNCHECKED: adjoints are rounded to the cells' few bits
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdint.h>
#include <string.h>

typedef _Float16 number;
typedef uint32_t word __attribute__((may_alias, aligned(1)));

typedef struct __attribute__((packed)) {
  number a;
  char flag;
  number b, c;
} packed;

enum { N = 6 };

volatile int none;

CHECK_NOINLINE static double structs(const number *x) {
  packed p[3];
  for (int i = 0; i < 3; ++i) {
    p[i].a = x[i];
    p[i].flag = (char)i;
    p[i].b = 2 * x[i + 1];
    p[i].c = x[i] * x[i + 3];
  }
  p[1].b = p[1].b + p[0].c;
  memmove(&p[1].flag, &p[2].flag, 5 + none);
  packed last = p[2];
  memset(&p[2].b, 0, 2 + none);
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += (i + 1) * (p[i].a + 2 * (double)p[i].b + 3 * (double)p[i].c);
  return sum + last.b;
}
static double of_structs(const number *x, int i) {
  const int a = i < 3 ? i + 1 : 0;
  // The products of the first struct, and twice that of the last one.
  const int first = i == 0 ? 3 : i == 3 ? 0 : -1;
  const int last = i == 2 ? 5 : i == 5 ? 2 : -1;
  return a + (i == 1 ? 4 : 0) + (i == 3 ? 8 + 2 : 0) +
         (first < 0 ? 0 : 3 * (double)x[first]) +
         (last < 0 ? 0 : 15 * (double)x[last]);
}

CHECK_NOINLINE static double cleared(const number *x) {
  number t[10] = {0};
  memset((char *)t + 1, 0, 14 + none);
  t[4] = x[1];
  number u[4] = {0};
  *(word *)((char *)u + 1) = *(word *)((char *)t + 7);
  return (double)t[4] + 2 * (double)u[1];
}
static double of_cleared(const number *x, int i) {
  (void)x;
  return i == 1 ? 3 : 0;
}

CHECK_NOINLINE static double taken_out(const number *x) {
  number t[10] = {0};
  *(word *)((char *)t + 13) = *(const word *)((const char *)x + 1);
  return (double)t[7] + 2 * (double)x[1] + (double)x[4];
}
static double of_taken_out(const number *x, int i) {
  (void)x;
  return i == 1 ? 3 : i == 4 ? 1 : 0;
}

#define CHECK_ALL(F)                                                           \
  do {                                                                         \
    _Alignas(4) number x[N + 2] = {0}, d[N + 2] = {0};                         \
    for (int i = 0; i < N; ++i)                                                \
      x[i + odd] = (number)(1 + i);                                            \
    __verso_grad((void *)F, verso_dup, x + odd, d + odd);                      \
    for (int i = 0; i < N; ++i)                                                \
      CHECK_EQUAL((double)d[i + odd], of_##F(x + odd, i));                     \
  } while (0)

int main(void) {
  for (int odd = 0; odd < 2; ++odd) {
    CHECK_ALL(structs);
    CHECK_ALL(cleared);
    CHECK_ALL(taken_out);
  }
  return check_status();
}
