//===- unions-in-halves.c - members that are shorter than the others ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM keeps a union by value in pieces, its shortest member and the rest, or
// moves it as a double. What a pointer leads to, and numbers, have their
// derivatives whichever it is, and wherever it was chosen.
//
//===----------------------------------------------------------------------===//

#include "../forward/forward.h"
#include <stdlib.h>

#define MEMBERS(SHORT)                                                         \
  typedef union {                                                              \
    SHORT brief;                                                               \
    double number;                                                             \
    const double *at;                                                          \
  } SHORT##Or;                                                                 \
  CHECK_NOINLINE static SHORT##Or SHORT##Made(const double *x, int i, int t) { \
    SHORT##Or v;                                                               \
    if (t == 0)                                                                \
      v.brief = (SHORT)(7 * x[i]);                                             \
    else if (t == 1)                                                           \
      v.number = x[i] * x[i];                                                  \
    else                                                                       \
      v.at = x + i;                                                            \
    return v;                                                                  \
  }                                                                            \
  CHECK_NOINLINE static double SHORT##Of(SHORT##Or v, int t, double y) {       \
    return t == 0 ? v.brief * y : t == 1 ? v.number * y : *v.at * *v.at;       \
  }                                                                            \
  static double SHORT##_handed_on(const double *x, int n) {                    \
    double s = 0;                                                              \
    for (int i = 0; i < n; ++i)                                                \
      s += SHORT##Of(SHORT##Made(x, i, i % 3), i % 3, x[n - 1 - i]);           \
    return s;                                                                  \
  }                                                                            \
  static double SHORT##_chosen(const double *x, int n) {                       \
    SHORT##Or kept = SHORT##Made(x, 0, 2);                                     \
    double s = 0;                                                              \
    for (int i = 0, tag = 2; i < n; ++i) {                                     \
      SHORT##Or next = SHORT##Made(x, i, i % 3), v;                            \
      if (x[i] > 1.2) {                                                        \
        kept = next;                                                           \
        tag = i % 3;                                                           \
      }                                                                        \
      v = kept;                                                                \
      s += SHORT##Of(v, tag, x[i]);                                            \
      if (tag == 2) {                                                          \
        kept.brief = (SHORT)(i + 1);                                           \
        tag = 0;                                                               \
      }                                                                        \
    }                                                                          \
    return s;                                                                  \
  }                                                                            \
  static double SHORT##_in_place(const double *x, int n) {                     \
    double s = 0;                                                              \
    for (int i = 0; i < n; ++i) {                                              \
      SHORT##Or v;                                                             \
      if (i % 3 == 0)                                                          \
        v.brief = (SHORT)(7 * x[i]);                                           \
      else if (i % 3 == 1)                                                     \
        v.number = x[i] * x[i];                                                \
      else                                                                     \
        v.at = x + i;                                                          \
      s += i % 3 == 0   ? v.brief * x[i]                                       \
           : i % 3 == 1 ? v.number * x[i]                                      \
                        : *v.at * *v.at;                                       \
    }                                                                          \
    return s;                                                                  \
  }
MEMBERS(float)
MEMBERS(int)
MEMBERS(short)
MEMBERS(char)

typedef struct {
  int tag;
  union {
    double number;
    float pair[2];
    long integer;
  } is;
} Tagged;

static double tagged(const double *x, int n) {
  Tagged all[12];
  double s = 0;
  for (int i = 0; i < n; ++i) {
    all[i].tag = i % 3;
    if (i % 3 == 0)
      all[i].is.number = x[i] * x[i];
    else if (i % 3 == 1)
      all[i].is.integer = i;
    else {
      all[i].is.pair[0] = (float)x[i];
      all[i].is.pair[1] = (float)(x[i] * x[i]);
    }
  }
  for (int i = 0; i < n; ++i) {
    Tagged v = all[i];
    s = s * 0.5 + (v.tag == 0   ? v.is.number
                   : v.tag == 1 ? v.is.integer * x[i]
                                : v.is.pair[0] * v.is.pair[1]);
  }
  return s;
}

typedef struct {
  int tag;
  union {
    long integer;
    struct {
      float a;
      int b;
    } mixed;
    const double *at;
    double number;
  } is;
} Mixed;
CHECK_NOINLINE static Mixed mixedOf(const double *x, int i) {
  Mixed v;
  v.tag = i % 4;
  if (v.tag == 0)
    v.is.integer = -i - 1;
  else if (v.tag == 1) {
    v.is.mixed.a = (float)x[i];
    v.is.mixed.b = -i;
  } else if (v.tag == 2)
    v.is.at = x + i;
  else
    v.is.number = x[i] * x[i];
  return v;
}
CHECK_NOINLINE static double valueOf(const Mixed *at, double y) {
  Mixed v = *at;
  switch (v.tag) {
  case 0:
    return v.is.integer * y;
  case 1:
    return v.is.mixed.a * y;
  case 2:
    return *v.is.at * y;
  default:
    return v.is.number * y;
  }
}
static double mixed(const double *x, int n) {
  Mixed *all = malloc(n * sizeof *all);
  double s = 0;
  for (int i = 0; i < n; ++i)
    all[i] = mixedOf(x, i);
  for (int i = 0; i < n; ++i)
    s = s * 0.9 + valueOf(&all[i], x[n - 1 - i]);
  free(all);
  return s;
}

// No integer is another one within a step of the differences, which are exact
// to what a float of 14 is.
#define CHECK_FUNCTION(F)                                                      \
  do {                                                                         \
    enum { N = 12 };                                                           \
    double x[N], gradient[N] = {0};                                            \
    for (int i = 0; i < N; ++i)                                                \
      x[i] = 1.0234 + 0.1057 * i;                                              \
    __verso_grad_void(F, verso_dup, x, gradient, verso_const, N);              \
    for (int k = 0; k < N; ++k) {                                              \
      const double step = 1e-2, here = x[k];                                   \
      double v[N] = {0};                                                       \
      v[k] = 1;                                                                \
      CHECK_CLOSE(gradient[k],                                                 \
                  __verso_jvp(F, verso_dup, x, v, verso_const, N), 1e-6);      \
      x[k] = here + step;                                                      \
      const double above = F(x, N);                                            \
      x[k] = here - step;                                                      \
      CHECK_CLOSE(gradient[k], (above - F(x, N)) / (2 * step), 1e-3);          \
      x[k] = here;                                                             \
    }                                                                          \
  } while (0)
#define CHECK_MEMBERS(SHORT)                                                   \
  CHECK_FUNCTION(SHORT##_handed_on);                                           \
  CHECK_FUNCTION(SHORT##_in_place)

int main(void) {
  CHECK_MEMBERS(float);
  CHECK_MEMBERS(int);
  CHECK_MEMBERS(short);
  CHECK_MEMBERS(char);
  CHECK_FUNCTION(float_chosen);
  CHECK_FUNCTION(int_chosen);
  CHECK_FUNCTION(tagged);
  CHECK_FUNCTION(mixed);
  return check_status();
}
