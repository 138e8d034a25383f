//===- free-lists.c - pointers and numbers in the same bytes, in turn -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cell that is free holds the link to the next one; one that is taken, a
// number. The shadow of a link and the adjoint of a number have the same bytes.
//
//===----------------------------------------------------------------------===//

#include "check.h"

double __verso_jvp(void *, ...);

enum { N = 24, Cells = 5 };

union Cell {
  union Cell *next;
  double x;
  float halves[2];
};

struct Pool {
  union Cell *free;
};

static inline union Cell *take(struct Pool *p) {
  union Cell *c = p->free;
  p->free = c->next;
  return c;
}

static inline void give(struct Pool *p, union Cell *c) {
  c->next = p->free;
  p->free = c;
}

static inline struct Pool fill(union Cell *block, int n) {
  struct Pool p = {0};
  for (int k = 0; k < n; ++k)
    give(&p, &block[k]);
  return p;
}

/// sum x[i]^3 + x[i]^2 x[i-1]; which cell is used depends on what was freed.
CHECK_NOINLINE static double pairs(const double *x, int n) {
  union Cell *block = malloc(Cells * sizeof *block);
  struct Pool p = fill(block, Cells);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    union Cell *a = take(&p), *b = take(&p);
    a->x = x[i] * x[i];
    b->x = i ? x[i - 1] : 0;
    if (i % 3 == 0) { // In another order, and used once more between.
      give(&p, a);
      union Cell *c = take(&p);
      c->x = x[i] * x[i];
      sum += c->x * (x[i] + b->x);
      give(&p, b);
      give(&p, c);
    } else {
      sum += a->x * (x[i] + b->x);
      give(&p, a);
      give(&p, b);
    }
  }
  free(block);
  return sum;
}

/// sum of products of floats that end as a link; a taken cell that was never
/// written is not read.
CHECK_NOINLINE static double floats(const double *x, int n) {
  union Cell block[Cells];
  struct Pool p = fill(block, Cells);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    union Cell *a = take(&p);
    a->halves[0] = (float)x[i];
    a->halves[1] = 2;
    for (int k = 0; k < i % 3; ++k)
      a->halves[1] *= a->halves[0];
    sum += a->halves[1] * x[i];
    give(&p, a);
  }
  return sum;
}

/// The cells are cleared as bytes, and as integers, where links were.
CHECK_NOINLINE static double cleared(const double *x, int n) {
  union Cell *block = malloc(Cells * sizeof *block);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    struct Pool p = fill(block, Cells);
    union Cell *a = take(&p), *b = take(&p);
    memset(a, 0, sizeof *a);
    *(long *)b = 0;
    if (i & 1)
      a->x = x[i];
    if (i & 2)
      b->x = 3 * x[i];
    sum += (a->x + x[i]) * (b->x + x[i]);
  }
  free(block);
  return sum;
}

/// Pointers to numbers, which numbers replace, which pointers replace.
CHECK_NOINLINE static double through(const double *x, int n) {
  double kept[N], sum = 0;
  union {
    double *p;
    double x;
  } u[N];
  for (int i = 0; i < n; ++i) {
    kept[i] = x[i] * x[i];
    u[i].p = &kept[n - 1 - i];
  }
  for (int round = 0; round < 3; ++round) {
    for (int i = round; i < n; ++i) {
      double y = *u[i].p;
      u[i].x = y * x[i];
      sum += u[i].x;
      kept[i] = u[i].x * 0.5 + kept[i];
      u[i].p = &kept[(i + round) % n];
    }
  }
  return sum;
}

static double x[N], v[N];

static void check(double (*f)(const double *, int), const double *g,
                  const double *again, double tangent) {
  double dot = 0, difference = 0, h = 1e-5, y[N];
  for (int i = 0; i < N; ++i) {
    dot += g[i] * v[i];
    CHECK(g[i] == again[i]);
  }
  // Floats are too coarse for differences.
  CHECK_CLOSE(dot, tangent, f == floats ? 1e-6 : 1e-13);
  if (f == floats)
    return;
  for (int k = -1; k < 2; k += 2) {
    for (int i = 0; i < N; ++i)
      y[i] = x[i] + k * h * v[i];
    difference += k * f(y, N) / (2 * h);
  }
  CHECK_CLOSE(dot, difference, 1e-7);
}

#define CHECK_FUNCTION(f)                                                      \
  do {                                                                         \
    double g[N] = {0}, again[N] = {0};                                         \
    double t = __verso_jvp((void *)f, verso_dup, x, v, verso_const, N);        \
    __verso_grad_void((void *)f, verso_dup, x, g, verso_const, N);             \
    __verso_grad_void((void *)f, verso_dup, x, again, verso_const, N);         \
    check(f, g, again, t);                                                     \
  } while (0)

int main(void) {
  for (int i = 0; i < N; ++i) {
    x[i] = 1 + 0.05 * i;
    v[i] = 0.3 - 0.002 * i * i;
  }
  CHECK_FUNCTION(pairs);
  CHECK_FUNCTION(floats);
  CHECK_FUNCTION(cleared);
  CHECK_FUNCTION(through);
  return check_status();
}
