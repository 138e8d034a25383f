//===- pairs-of-floats.c - structs of two floats are moved whole ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM moves a struct of two floats as one i64, which is chosen, carried round
// loops and taken apart by shifts.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8 };
typedef struct {
  float x, y;
} Pair;

static Pair *pairs(const double *x) {
  Pair *a = malloc(N * sizeof *a);
  for (int i = 0; i < N; ++i) {
    a[i].x = x[i];
    a[i].y = x[i] * x[(i + 1) % N];
  }
  return a;
}
static double ended(Pair *a, double s) {
  for (int i = 0; i < N; ++i)
    s += a[i].x * a[i].y * (i + 1);
  free(a);
  return s;
}

static double permuted(double *x) {
  Pair *a = pairs(x), *b = malloc(N * sizeof *b);
  for (int i = 0; i < N; ++i)
    b[i] = a[(i * 3) & 7];
  double s = b[2].x * b[5].y;
  free(a);
  return ended(b, s);
}

static double chosen(double *x) {
  Pair *a = pairs(x);
  Pair best = a[0];
  for (int i = 1; i < N; ++i)
    best = a[i].x > 1 ? a[i] : best;
  return ended(a, best.x * best.y);
}

static double sorted(double *x) {
  Pair *a = pairs(x);
  for (int i = 1; i < N; ++i) {
    Pair p = a[i];
    int k = i;
    for (; k && a[k - 1].x > p.x; --k)
      a[k] = a[k - 1];
    a[k] = p;
  }
  return ended(a, 0);
}

static double carried(double *x) {
  Pair *a = pairs(x), last = {0, 1};
  for (int i = 0; i < N; ++i) {
    Pair now = a[i];
    a[i] = last;
    last = i & 1 ? now : (Pair){now.y * 0.5f, last.x};
  }
  return ended(a, last.x + 2 * last.y);
}

// Halves that change places, by arithmetic on the integer.
static double turned(double *x) {
  Pair *a = pairs(x);
  for (int i = 0; i < N; ++i) {
    uint64_t bits;
    memcpy(&bits, a + i, sizeof bits);
    bits = bits << 32 | bits >> 32;
    Pair p;
    memcpy(&p, &bits, sizeof p);
    a[i].x += p.x * p.x;
  }
  return ended(a, 0);
}

// The same integers are compared, and numbers of eight bytes lie beside.
typedef struct {
  Pair p;
  double d;
  uint64_t key;
} Mixed;
static double mixed(double *x) {
  Mixed *a = malloc(N * sizeof *a), t;
  for (int i = 0; i < N; ++i)
    a[i] = (Mixed){{x[i], 2 * x[i]}, x[i] * x[i], 7u * i % 5};
  for (int i = 0; i + 1 < N; ++i)
    if (a[i].key > a[i + 1].key) {
      t = a[i];
      a[i] = a[i + 1];
      a[i + 1] = t;
    }
  double s = 0;
  for (int i = 0; i < N; ++i)
    s += a[i].p.x * a[i].d * (i + 1) + a[i].p.y * (double)a[i].key;
  free(a);
  return s;
}

#define CHECK_ALL_OF(f)                                                        \
  do {                                                                         \
    double d[N] = {0};                                                         \
    __verso_grad_void((void *)f, verso_dup, x, d);                             \
    for (int i = 0; i < N; ++i) {                                              \
      double up[N], low[N], h = 1. / 64;                                       \
      memcpy(up, x, sizeof up);                                                \
      memcpy(low, x, sizeof low);                                              \
      up[i] += h;                                                              \
      low[i] -= h;                                                             \
      CHECK_CLOSE(d[i], (f(up) - f(low)) / (2 * h), 5e-3);                     \
    }                                                                          \
  } while (0)

int main(void) {
  double x[N] = {0.5, -1, 1.5, 0.25, 0.75, -0.625, 1.25, 2};
  CHECK_ALL_OF(permuted);
  CHECK_ALL_OF(chosen);
  CHECK_ALL_OF(sorted);
  CHECK_ALL_OF(carried);
  CHECK_ALL_OF(turned);
  CHECK_ALL_OF(mixed);
  return check_status();
}
