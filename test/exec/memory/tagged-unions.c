//===- tagged-unions.c - a number or a short integer, by value ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A union of a number and a shorter integer that is copied, passed and returned
// is one register, loaded as a number. The value of the integer is that of a
// part of the register's bits: a constant, where no number was in them.
//
//===----------------------------------------------------------------------===//

#include "../forward/forward.h"

#define TAGGED(NAME, INTEGER)                                                  \
  typedef struct {                                                             \
    union {                                                                    \
      double number;                                                           \
      INTEGER integer;                                                         \
    } is;                                                                      \
    int tag;                                                                   \
  } NAME;                                                                      \
  static double NAME##_value(NAME v, double x) {                               \
    return v.tag ? v.is.number : v.is.integer * 0.5 * x;                       \
  }                                                                            \
  CHECK_NOINLINE static NAME NAME##_of(double x, int k) {                      \
    NAME v;                                                                    \
    v.tag = k & 1;                                                             \
    if (v.tag)                                                                 \
      v.is.number = x * x;                                                     \
    else                                                                       \
      v.is.integer = (INTEGER)(k + 3);                                         \
    return v;                                                                  \
  }                                                                            \
  static double NAME##_sum(const double *x, int n) {                           \
    NAME stack[8];                                                             \
    double s = 0;                                                              \
    for (int i = 0; i < n; ++i)                                                \
      stack[i] = NAME##_of(x[i], i);                                           \
    for (int top = n; top > 0;) {                                              \
      NAME v = stack[--top];                                                   \
      s += NAME##_value(v, x[top]);                                            \
      if (top && v.tag) {                                                      \
        NAME below = stack[top - 1];                                           \
        stack[top - 1] = v;                                                    \
        s += NAME##_value(below, x[top]);                                      \
      }                                                                        \
    }                                                                          \
    return s;                                                                  \
  }

TAGGED(Int, int)
TAGGED(Short, short)
TAGGED(Char, signed char)
TAGGED(Unsigned, unsigned)

typedef union {
  int s;
  double d;
} Plain;
static double plain(const double *x, int n) {
  Plain a[8];
  double s = 0;
  for (int i = 0; i < n; ++i)
    if (i & 1)
      a[i].d = x[i] * x[i];
    else
      a[i].s = i - 3;
  for (int i = 0; i < n; ++i) {
    Plain v = a[i];
    s += i & 1 ? v.d : v.s * 0.5 * x[i];
  }
  return s;
}

#define CHECK_ALL(F)                                                           \
  for (int n = 1; n <= 7; ++n) {                                               \
    double x[8] = {1.5, -2, 3, 0.5, 4, -1, 2.5, 1};                            \
    CHECK_ALONG(F, x, n, 1e-14, 1e-7);                                         \
  }

int main(void) {
  CHECK_ALL(Int_sum)
  CHECK_ALL(Short_sum)
  CHECK_ALL(Char_sum)
  CHECK_ALL(Unsigned_sum)
  CHECK_ALL(plain)
  return check_status();
}
