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
// the words of the shifted one, and was nobody's: 0, in silence. So did a
// bit-field that is computed with in the register clear the image of the float
// beside it, and J v had a byte of the lost field's mark in a packed float.
//
// STRATEGY: taped
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);

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

typedef struct {
  unsigned a : 3;
  float f;
} Field;

typedef struct __attribute__((packed)) {
  unsigned char a;
  float f;
  unsigned char b;
} Odd;

typedef struct {
  unsigned char k;
  Odd r;
  unsigned char z;
} Nest;

CHECK_NOINLINE static Nest nested(Nest s, int i) {
  s.r.a = (unsigned char)(s.r.a * 3 + i);
  return s;
}

/// The square of x[0], by way of a record T whose flags are set.
#define RECORD(NAME, T, STEP, WITH)                                            \
  CHECK_NOINLINE static T NAME##Step(T r) {                                    \
    STEP;                                                                      \
    return r;                                                                  \
  }                                                                            \
  CHECK_NOINLINE static double NAME(const double *x, int n) {                  \
    T v[N];                                                                    \
    for (int i = 0; i < n; ++i) {                                              \
      v[i] = (T){.a = (unsigned char)i & 7, .f = (float)x[i]};                 \
    }                                                                          \
    T r = v[0];                                                                \
    WITH;                                                                      \
    v[1] = r;                                                                  \
    return v[1].f * (double)v[1].f;                                            \
  }

RECORD(clears, Record, , r = clearsStep(r); r.a = 0)
RECORD(sets, Record, r.a = 1, r = setsStep(r); r.a = 0)
RECORD(copies, Record, r.b = 0, r.a = r.b; r = copiesStep(r); v[2] = r)
RECORD(both, Record, r.a = r.b, r = bothStep(r); r.a = r.b = 3)
RECORD(onSomeWay, Record, r.b = 0, r.a = 0; if (n > 2) r = onSomeWayStep(r);
       r.b = 1)
RECORD(fields, Field, r.a = 1;
       r.f = r.f * 0.5f, for (int i = 0; i < n; ++i) r.a = (unsigned)i & 7;
       r = fieldsStep(r); r.f *= 2)
RECORD(fieldsOnSomeWay, Field, if (r.a & 1) r.a = 5;
       r.f = r.f * 0.5f, for (int i = 0; i < n; ++i) r = v[0];
       r = fieldsOnSomeWayStep(r); r.f *= 2)
RECORD(
    odd, Odd, r.a = 1; r.a += 1, for (int i = 0; i < n; ++i) {
      if (n > 2)
        r = oddStep(r);
      Nest s = {0};
      s.r = r;
      r = nested(s, i).r;
    })

/// With OR_LOST J v may be NaN, as of what is computed in a loop.
#define CHECK_SQUARE(F, OR_LOST)                                               \
  do {                                                                         \
    double x[N] = {1.5, 2, 3}, v[N] = {1}, dx[N] = {0};                        \
    __verso_grad_void((void *)F, verso_dup, x, dx, verso_const, n);            \
    CHECK_EQUAL(dx[0], 3.0);                                                   \
    CHECK_EQUAL(dx[1], 0.0);                                                   \
    CHECK_EQUAL(dx[2], 0.0);                                                   \
    double tangent = __verso_jvp((void *)F, verso_dup, x, v, verso_const, n);  \
    CHECK(tangent == 3 || (OR_LOST && isnan(tangent)));                        \
  } while (0)

int main(void) {
  volatile int n = N;
  double x[2] = {1.5, 2}, dx[2] = {0};
  __verso_grad_void((void *)packed, verso_dup, x, dx, verso_const, 2);
  CHECK_EQUAL(dx[0], 2.0);
  CHECK_EQUAL(dx[1], 1.5);
  CHECK_SQUARE(clears, 0);
  CHECK_SQUARE(sets, 0);
  CHECK_SQUARE(copies, 0);
  CHECK_SQUARE(both, 0);
  CHECK_SQUARE(onSomeWay, 0);
  CHECK_SQUARE(fields, 0);
  CHECK_SQUARE(fieldsOnSomeWay, 0);
  CHECK_SQUARE(odd, 1);
  return check_status();
}
