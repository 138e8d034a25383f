//===- small-records.c - a number beside small integers, by value --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records of two small integers and a float are handed on in one register,
// which is put together of counters by shifts and masks that keep no bytes.
// Those are no number's, and lose none of the float beside them.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);

enum { N = 4 };

#define RECORDS(NAME, A, B)                                                    \
  typedef struct {                                                             \
    A a;                                                                       \
    B b;                                                                       \
    float f;                                                                   \
  } NAME##Record;                                                              \
  CHECK_NOINLINE static NAME##Record NAME##Pick(NAME##Record l,                \
                                                NAME##Record r) {              \
    if (l.a < r.a)                                                             \
      return l;                                                                \
    return (NAME##Record){r.a, l.b, l.f * r.f};                                \
  }                                                                            \
  static double NAME(const double *x, int n) {                                 \
    NAME##Record l = {2, 3, (float)x[0]};                                      \
    for (int i = 0; i < n; ++i)                                                \
      l = NAME##Pick(l, (NAME##Record){(A)i, (B)i, (float)x[i]});              \
    return l.a * l.f + l.b * l.f;                                              \
  }

RECORDS(shorts, short, short)
RECORDS(bytes, char, char)
RECORDS(mixed, short, char)

#define CHECK_RECORDS(F)                                                       \
  do {                                                                         \
    double x[N] = {1.5, 0.5, 2, 3}, dx[N] = {0};                               \
    volatile int n = N;                                                        \
    const double expected[N] = {9, 0, 0, 0}; /* 3 x[0]^2 */                    \
    __verso_grad_void((void *)F, verso_dup, x, dx, verso_const, n);            \
    for (int i = 0; i < N; ++i) {                                              \
      double t[N] = {0};                                                       \
      t[i] = 1;                                                                \
      CHECK_EQUAL(dx[i], expected[i]);                                         \
      CHECK_EQUAL(__verso_jvp((void *)F, verso_dup, x, t, verso_const, n),     \
                  expected[i]);                                                \
    }                                                                          \
  } while (0)

int main(void) {
  CHECK_RECORDS(shorts);
  CHECK_RECORDS(bytes);
  CHECK_RECORDS(mixed);
  return check_status();
}
