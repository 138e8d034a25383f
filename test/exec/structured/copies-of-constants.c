//===- copies-of-constants.c - constants over numbers nobody accesses ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes without derivative, of a local array that was moved byte by byte, are
// copied over numbers of the caller of which only one is accessed: all their
// adjoints end, and the one behind them stays. What lies behind the end of a
// copy of variable length is not moved. And a number before a zero whose shadow
// is the same (of two bytes: together they look like an integer) is moved.
//
// UNCHECKED: adjoints are rounded to the cells' few bits
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdlib.h>
#include <string.h>

volatile int none;

CHECK_NOINLINE static void swap(char *a, char *b, int n) {
  for (int i = 0; i < n; ++i) {
    char t = a[i];
    a[i] = b[i];
    b[i] = t;
  }
}

#define TEST_TYPE(T)                                                           \
  CHECK_NOINLINE static double T##_at_once(T *y) {                             \
    char s[8] = {0};                                                           \
    T t[8] = {0};                                                              \
    swap((char *)t, s, 7);                                                     \
    memcpy(y + 1, t, 5 * sizeof(T));                                           \
    y[4] = 2 * y[7];                                                           \
    return 0;                                                                  \
  }                                                                            \
  CHECK_NOINLINE static double T##_by_loop(T *y) {                             \
    char s[8] = {0};                                                           \
    T t[8] = {0};                                                              \
    swap((char *)t, s, 3);                                                     \
    for (int i = 0; i < 5; ++i)                                                \
      y[1 + i] = t[i];                                                         \
    y[4] = 2 * y[7];                                                           \
    return 0;                                                                  \
  }                                                                            \
  CHECK_NOINLINE static double T##_some(T *y) {                                \
    char s[8] = {0};                                                           \
    T t[8] = {0};                                                              \
    swap((char *)t, s, 3);                                                     \
    memcpy(y + 1, t, (none + 5) * sizeof(T));                                  \
    y[4] = 2 * y[7];                                                           \
    return 0;                                                                  \
  }                                                                            \
  CHECK_NOINLINE static double T##_exchanged(T *y) {                           \
    T t;                                                                       \
    memcpy(&t, y + 5, sizeof(T));                                              \
    memcpy(y + 5, y + 2, sizeof(T));                                           \
    memcpy(y + 2, &t, sizeof(T));                                              \
    return 0;                                                                  \
  }                                                                            \
  CHECK_NOINLINE static double T##_before(T *y) {                              \
    T *t = calloc(10, sizeof(T));                                              \
    memcpy((char *)(t + 7) + 1, y, sizeof(T) + none);                          \
    y[4] = t[9] + y[3];                                                        \
    free(t);                                                                   \
    return 0;                                                                  \
  }                                                                            \
  static void T##_check(void) {                                                \
    _Alignas(8) T y[8], d[5][8];                                               \
    for (int k = 0; k < 5; ++k)                                                \
      for (int i = 0; i < 8; ++i) {                                            \
        y[i] = i % 4 == 3 ? 0 : i + 1;                                         \
        d[k][i] = k != 3 ? 1 : i < 4 ? y[i] : 3 * i;                           \
      }                                                                        \
    T x[5][8];                                                                 \
    for (int k = 0; k < 5; ++k)                                                \
      memcpy(x[k], y, sizeof y);                                               \
    __verso_grad((void *)T##_at_once, verso_dup, x[0], d[0]);                  \
    __verso_grad((void *)T##_by_loop, verso_dup, x[1], d[1]);                  \
    __verso_grad((void *)T##_some, verso_dup, x[2], d[2]);                     \
    __verso_grad((void *)T##_before, verso_dup, x[4], d[4]);                   \
    __verso_grad((void *)T##_exchanged, verso_dup, x[3], d[3]);                \
    for (int i = 0; i < 8; ++i) {                                              \
      for (int k = 0; k < 3; ++k)                                              \
        CHECK_EQUAL((double)d[k][i], i == 7 ? 3 : i == 0 || i == 6);           \
      CHECK_EQUAL((double)d[4][i], i == 3 ? 2 : i != 4);                       \
      CHECK_EQUAL((double)d[3][i], i == 2   ? 15                               \
                                   : i == 5 ? 3                                \
                                            : (i < 4 ? (double)y[i] : 3 * i)); \
    }                                                                          \
  }

TEST_TYPE(_Float16)
TEST_TYPE(float)
TEST_TYPE(double)

int main(void) {
  _Float16_check();
  float_check();
  double_check();
  return check_status();
}
