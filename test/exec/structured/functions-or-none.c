//===- functions-or-none.c - members that are functions, or null ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A member that is compared with a function may be null, or a table may have
// none there. So that it is not equal tells nothing of the object, and the only
// function that is ever stored there need not be it.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

typedef double (*Act)(double);
CHECK_NOINLINE static double square(double x) { return x * x; }
CHECK_NOINLINE static double cube(double x) { return x * x * x; }

typedef struct {
  Act act;
  double *out;
  double c;
} Item;
typedef struct {
  Act a[2];
} Pair;

static Pair *pair(void) {
  Pair *u = calloc(1, sizeof *u);
  u->a[0] = square;
  u->a[1] = cube;
  return u;
}

/// What is null is another formula.
static double formulas(double x, int n) {
  Item *t = calloc(3, sizeof *t);
  Pair *u = pair();
  for (int i = 0; i < 3; i++) {
    t[i].c = i + 1;
    if ((n >> i) & 1)
      t[i].act = square;
  }
  double r = u->a[n & 1](x);
  for (int i = 0; i < 3; i++)
    if (t[i].act == square)
      r += t[i].c * x * x * x;
    else
      r += 7 * t[i].c * x;
  free(t);
  free(u);
  return r;
}

/// What is null is stored through, too.
static double stored(double x, int n) {
  double *o = calloc(2, sizeof(double)), *q = calloc(2, sizeof(double));
  Item *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
  if (n & 1)
    a->act = square;
  a->out = o;
  a->c = 2;
  b->act = cube;
  b->out = q;
  b->c = 3;
  double r = 0;
  for (int i = 0; i < 4 + (n & 8); i++) {
    Item *p = i & 1 ? a : b;
    if (p->act == square)
      r += p->act(x) * p->c * i;
    else
      p->out[0] += 5 * x * x * p->c * i;
  }
  r += b->act(x) + o[0] * x + q[0];
  free(a);
  free(b);
  free(o);
  free(q);
  return r;
}

/// Tables, one of which has nothing there.
typedef struct {
  Act f, g;
} Operations;
typedef struct {
  const Operations *ops;
  double w[3];
} Object;
static const Operations One = {square, 0}, Other = {cube, cube};

static double tables(double x, int n) {
  Object *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
  a->ops = &One;
  b->ops = &Other;
  double r = 0;
  for (int i = 0; i < 4; i++) {
    Object *o = (i + n) % 3 ? a : b;
    if (o->ops->g == cube)
      r += o->ops->g(x) * (i + 1);
    else
      o->w[2] += o->ops->f(x) * x * (i + 1);
  }
  r += a->w[2] * x + b->w[2];
  free(a);
  free(b);
  return r;
}

#define CHECK_ALL(f)                                                           \
  for (int n = 0; n < 12; n++) {                                               \
    double x = 0.7, h = 1e-5;                                                  \
    double slope = (f(x + h, n) - f(x - h, n)) / (2 * h);                      \
    CHECK_CLOSE(__verso_grad((void *)f, x, verso_const, n), slope, 1e-7);      \
  }

int main(void) {
  CHECK_ALL(formulas)
  CHECK_ALL(stored)
  CHECK_ALL(tables)
  return check_status();
}
