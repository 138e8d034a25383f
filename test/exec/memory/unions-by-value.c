//===- unions-by-value.c - numbers, integers and pointers in registers ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Unions that are copied and chosen are doubles and words in turn to LLVM. The
// integer that a number was rounded to is constant as one again, whatever
// number its bits are; a pointer that went through a double leads to where it
// did.
//
//===----------------------------------------------------------------------===//

#include "../forward/forward.h"

typedef union {
  double number;
  long integer;
} Rounded;
#define ROUNDED(NAME, EXPRESSION)                                              \
  static double NAME(const double *x, int n) {                                 \
    double s = 0;                                                              \
    for (int i = 0; i < n; ++i) {                                              \
      Rounded u;                                                               \
      if (i % 2)                                                               \
        u.number = x[i] * x[i];                                                \
      else                                                                     \
        u.integer = EXPRESSION;                                                \
      s += i % 2 ? u.number : (double)u.integer * 0.5 * x[n - 1 - i];          \
    }                                                                          \
    return s;                                                                  \
  }
ROUNDED(up, (long)(4 * x[i]))
ROUNDED(down, -(long)(4 * x[i]))

typedef union {
  float number;
  int integer;
} Short;
CHECK_NOINLINE static Short shortOf(double x, int k) {
  Short u;
  if (k % 2)
    u.number = (float)(x * x);
  else
    u.integer = -(int)(4 * x);
  return u;
}
static double shorts(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    Short u = shortOf(x[i], i);
    s += i % 2 ? u.number : u.integer * 0.5 * x[n - 1 - i];
  }
  return s;
}

typedef union {
  double number;
  const double *at;
} Where;
static Where where(const double *x, int i) {
  Where v;
  if (i % 2)
    v.number = x[i] * x[i];
  else
    v.at = x + i;
  return v;
}
CHECK_NOINLINE static Where outOfLine(const double *x, int i) {
  return where(x, i);
}
#define POINTERS(NAME, OF)                                                     \
  static double NAME##_in_turn(const double *x, int n) {                       \
    double s = 0;                                                              \
    for (int i = 0; i < n; ++i) {                                              \
      Where v = OF(x, i);                                                      \
      s += i % 2 ? v.number : *v.at * v.at[0] * 2;                             \
    }                                                                          \
    return s;                                                                  \
  }                                                                            \
  static double NAME##_kept(const double *x, int n) {                          \
    Where kept = OF(x, 0);                                                     \
    double s = 0;                                                              \
    for (int i = 0; i < n; ++i) {                                              \
      Where next = OF(x, i), v;                                                \
      if (i % 2 || x[i] > 0)                                                   \
        kept = next;                                                           \
      v = kept;                                                                \
      s += i % 2 ? v.number : *v.at * *v.at * 2;                               \
    }                                                                          \
    return s;                                                                  \
  }                                                                            \
  static double NAME##_in_array(const double *x, int n) {                      \
    Where all[8], v;                                                           \
    double s = 0;                                                              \
    for (int i = 0; i < n; ++i)                                                \
      all[i] = OF(x, i);                                                       \
    for (int i = 0; i < n; ++i) {                                              \
      v = all[i];                                                              \
      s += i % 2 ? v.number : *v.at * *v.at * 2;                               \
    }                                                                          \
    return s;                                                                  \
  }
POINTERS(far, outOfLine)
POINTERS(near, where)

typedef struct {
  int tag;
  union {
    short s[4];
    double number;
    const double *at;
  } is;
} Tagged;
CHECK_NOINLINE static Tagged tagged(const double *x, int i) {
  Tagged v;
  v.tag = i % 3;
  if (v.tag == 0)
    for (int k = 0; k < 4; ++k)
      v.is.s[k] = (short)(k + i);
  else if (v.tag == 1)
    v.is.number = x[i] * x[i];
  else
    v.is.at = x + i;
  return v;
}
static double valueOf(const Tagged *w) {
  Tagged v = *w;
  return v.tag == 0   ? v.is.s[1] * 0.1
         : v.tag == 1 ? v.is.number
                      : *v.is.at * *v.is.at;
}
static double tags(const double *x, int n) {
  double s = 0;
  Tagged kept = tagged(x, 0);
  for (int i = 0; i < n; ++i) {
    Tagged next = tagged(x, i);
    if (x[i] > 0)
      kept = next;
    s += valueOf(&kept);
  }
  return s;
}

/// Whether it is rounded to different integers.
static int isJump(double x, double h) {
  return (long)(4 * (x + h)) != (long)(4 * (x - h));
}

#define CHECK_ALL(F)                                                           \
  for (int n = 1; n <= 7; ++n) {                                               \
    double x[8] = {1.5, 2, 3, 0.55, 4.1, 1, 2.6, 1}, g[8] = {0}, v[8];         \
    __verso_grad_void(F, verso_dup, x, g, verso_const, n);                     \
    fill_direction(v, n, 7 + n);                                               \
    CHECK_CLOSE(dot_product(g, v, n),                                          \
                __verso_jvp(F, verso_dup, x, v, verso_const, n), 1e-6);        \
    for (int k = 0; k < n; ++k) {                                              \
      double h = 1e-3, y[8];                                                   \
      for (int i = 0; i < n; ++i)                                              \
        y[i] = x[i];                                                           \
      y[k] = x[k] + h;                                                         \
      double ahead = F(y, n);                                                  \
      y[k] = x[k] - h;                                                         \
      if (!isJump(x[k], h))                                                    \
        CHECK_CLOSE(g[k], (ahead - F(y, n)) / (2 * h), 1e-3);                  \
    }                                                                          \
  }
int main(void) {
  CHECK_ALL(up)
  CHECK_ALL(down)
  CHECK_ALL(shorts)
  CHECK_ALL(far_in_turn)
  CHECK_ALL(far_kept)
  CHECK_ALL(far_in_array)
  CHECK_ALL(near_in_turn)
  CHECK_ALL(near_kept)
  CHECK_ALL(near_in_array)
  CHECK_ALL(tags)
  return check_status();
}
