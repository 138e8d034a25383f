//===- unseen-writes.c - inactive functions without a body ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a function that is marked inactive and has no body here overwrites is
// constant, where the size of the object is known: variables, arrays of
// constant and of variable length, globals, blocks, also if it is called by a
// marked function that has a body. What it only reads varies as before. New
// memory that it fills first is constant, whatever lay there before. Where the
// size is not known, verso_detach says it. In reverse and in forward mode.
//
// swab and strdup of the C library stand for such functions: the constants have
// their bytes in turn.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#define INACTIVE __attribute__((annotate("verso_inactive")))
#define INLINE static inline __attribute__((always_inline))

double __verso_jvp(void *, ...);
INACTIVE void swab(const void *from, void *to, long bytes);
void verso_detach(void *, size_t);
INACTIVE char *strdup(const char *);

INLINE void fill(double *p, int n) {
  unsigned char bytes[32];
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 8; ++k)
      bytes[8 * i + k] = k == 6 ? 0x40 : k == 7 ? 0x08 : 0;
  swab(bytes, p, n * 8);
}

static double in_variable(double a) {
  double s = 0, t = a;
  for (int k = 0; k != 2; ++k) {
    fill(&t, 1);
    t *= a;
    s += t;
  }
  return s;
}

/// New in each iteration, where it was in the one before.
static double in_scopes(double a) {
  double s = 0;
  for (int k = 0; k != 2; ++k) {
    {
      double t[2] = {a * a, a};
      fill(t + 1, 1);
      s += t[0] * t[1];
    }
    {
      double t[2];
      fill(t, 2);
      s += t[0] * a;
      t[1] *= a;
      fill(t, 1);
      s += t[1];
    }
  }
  return s;
}

static double of_variable_length(double a) {
  int n = 2 + (a > 0);
  double t[n], s = 0;
  for (int i = 0; i < n; ++i)
    t[i] = i * a;
  fill(t, 2);
  for (int i = 0; i < n; ++i)
    s += t[i] * a;
  return s;
}

static double in_blocks(double a) {
  double s = 0;
  for (int k = 0; k != 3; ++k) {
    double *w = malloc(2 * sizeof(double));
    fill(w, 2);
    for (int i = 0; i < 2; ++i)
      w[i] *= a;
    fill(w, 1);
    s += w[0] + w[1];
    free(w);
  }
  return s;
}

/// It allocates itself, where numbers that varied were.
static double made(double a) {
  double s = 0;
  for (int k = 0; k != 3; ++k) {
    double *w = (double *)strdup("@@@@@@@@");
    w[0] = *w > 32 ? *w * a : 0;
    s += w[0];
    free(w);
  }
  return s;
}

static double global[2];
static double in_global(double a) {
  global[0] = a * a;
  global[1] = a;
  fill(global, 1);
  return global[0] * global[1];
}

static double of_floats(double a) {
  float t[3] = {(float)a, (float)(a * a), (float)a};
  unsigned char bytes[4] = {0, 0, 0x40, 0x40};
  swab(bytes, t + 1, 4);
  return t[0] * t[1] * t[2];
}

INACTIVE __attribute__((noinline)) static void marked(double *p) { fill(p, 1); }
static double by_marked(double a) {
  double t[2] = {a * a, a};
  marked(t);
  return t[0] * t[1];
}

static double only_read(double a) {
  double t[2] = {a * a, a}, u[2];
  swab(t, u, 16);
  return t[0] * t[1];
}

/// Nobody here knows how far x reaches.
__attribute__((noinline)) static void fill_some(double *x) {
  fill(x, 1);
  verso_detach(x, sizeof(double));
}
static double detached(double *x) {
  double y = x[0] * x[0];
  fill_some(x);
  return y + x[0] * x[1];
}

static double inner(double a) {
  double t[2] = {a * a, a};
  fill(t, 1);
  return t[0] * t[1] * t[1];
}
static double outer(double a) { return __verso_grad(inner, a); }

#define CHECK_BOTH(F, EXPECTED)                                                \
  do {                                                                         \
    CHECK_EQUAL(__verso_grad(F, 2.0), EXPECTED);                               \
    CHECK_EQUAL(__verso_jvp(F, verso_dup, 2.0, 1.0), EXPECTED);                \
  } while (0)

int main(void) {
  CHECK_BOTH(in_variable, 6);
  CHECK_BOTH(in_scopes, 36);
  CHECK_BOTH(of_variable_length, 14);
  CHECK_BOTH(in_blocks, 9);
  double v;
  memcpy(&v, "@@@@@@@@", 8);
  CHECK_BOTH(made, 3 * v);
  CHECK_BOTH(in_global, 3);
  CHECK_BOTH(of_floats, 12);
  CHECK_BOTH(by_marked, 3);
  CHECK_BOTH(only_read, 12);
  CHECK_BOTH(outer, 6);
  double x[2] = {2, 3}, dx[2] = {0, 0};
  __verso_grad(detached, verso_dup, x, dx);
  CHECK_EQUAL(dx[0], 4);
  CHECK_EQUAL(dx[1], 3);
  double y[2] = {2, 3}, dy[2] = {1, 10};
  CHECK_EQUAL(__verso_jvp(detached, verso_dup, y, dy), 34);
  return check_status();
}
