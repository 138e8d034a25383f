//===- flags-beside-packed.c - flags that are set before a float ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the flag of a record by value is set, the optimiser stores its byte and
// the other seven, which it loads or shifts down as an i56. In a program with
// packed structs such parts are moved by pieces; the float's image lay across
// the words of the shifted one, and was nobody's: 0, in silence.
//
// STRATEGY: taped
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { N = 3 };

typedef struct __attribute__((packed)) {
  char c;
  float f;
} Packed;

CHECK_NOINLINE static double packed(const double *x, int n) {
  Packed p[2];
  for (int i = 0; i < n; ++i) {
    p[i].c = (char)i;
    p[i].f = (float)x[i];
  }
  return p[0].f * (double)p[1].f;
}

typedef struct {
  unsigned char a, b;
  float f;
} Record;

/// The square of x[0], by way of a record whose flag is set in WITH.
#define RECORD(NAME, STEP, WITH)                                               \
  CHECK_NOINLINE static Record NAME##Step(Record r) {                          \
    STEP;                                                                      \
    return r;                                                                  \
  }                                                                            \
  CHECK_NOINLINE static double NAME(const double *x, int n) {                  \
    Record v[N];                                                               \
    for (int i = 0; i < n; ++i)                                                \
      v[i] = (Record){(unsigned char)i, 7, (float)x[i]};                       \
    Record r = v[0];                                                           \
    WITH;                                                                      \
    v[1] = r;                                                                  \
    return v[1].f * (double)v[1].f;                                            \
  }

RECORD(clears, , r = clearsStep(r); r.a = 0)
RECORD(sets, r.a = 1, r = setsStep(r); r.a = 0)
RECORD(copies, r.b = 0, r.a = r.b; r = copiesStep(r); v[2] = r)
RECORD(both, r.a = r.b, r = bothStep(r); r.a = r.b = 3)
RECORD(onSomeWay, r.b = 0, r.a = 0; if (n > 2) r = onSomeWayStep(r); r.b = 1)

#define CHECK_SQUARE(F)                                                        \
  do {                                                                         \
    double x[N] = {1.5, 2, 3}, dx[N] = {0};                                    \
    __verso_grad_void((void *)F, verso_dup, x, dx, verso_const, n);            \
    CHECK_EQUAL(dx[0], 3.0);                                                   \
    CHECK_EQUAL(dx[1], 0.0);                                                   \
    CHECK_EQUAL(dx[2], 0.0);                                                   \
  } while (0)

int main(void) {
  volatile int n = N;
  double x[2] = {1.5, 2}, dx[2] = {0};
  __verso_grad_void((void *)packed, verso_dup, x, dx, verso_const, 2);
  CHECK_EQUAL(dx[0], 2.0);
  CHECK_EQUAL(dx[1], 1.5);
  CHECK_SQUARE(clears);
  CHECK_SQUARE(sets);
  CHECK_SQUARE(copies);
  CHECK_SQUARE(both);
  CHECK_SQUARE(onSomeWay);
  return check_status();
}
