//===- moved-pointers.c - pointers that inner requests move ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gradients of functions that move pointers in the caller's structures, called
// again and again inside of differentiated functions: primal and shadow
// structure follow, and so do the shadows of both. Shadows on the heap lie
// below the arena, those on the stack above it; what the inner request
// allocated is its own shadow afterwards.
//
//
// Sanitizers leave too few windows for forward requests inside others.
// REQUIRES: unsanitized
// HEAVY: tapes of tapes
// LEVELS: O0 O1 O2g
//
//===----------------------------------------------------------------------===//

#define SECOND_ONLY
#include "second.h"

typedef struct {
  double *at, scale;
} Cursor;

CHECK_NOINLINE static double next(Cursor *c) {
  double v = *c->at++ * c->scale;
  c->scale *= v;
  return v * v;
}

static double cursor(const double *x, int n) {
  double *b = malloc(n * sizeof *b), *d = calloc(n, sizeof *d), sum = 0;
  for (int i = 0; i < n; ++i)
    b[i] = x[i] + 2;
  Cursor c = {b, x[1]}, dc = {d, 0};
  for (int i = 0; i < n; ++i) {
    dc.scale = 1;
    __verso_grad((void *)next, verso_dup, &c, &dc);
    sum += dc.scale + c.scale;
    CHECK(dc.at == d + i + 1);
  }
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * d[i];
  free(b);
  free(d);
  return sum;
}
HESSIAN(cursor)

typedef struct {
  double *first, *second;
} Pair;

CHECK_NOINLINE static double swapped(Pair *p, int n, int steps) {
  double sum = 0;
  for (int s = 0; s < steps; ++s) {
    for (int i = 0; i < n; ++i)
      p->second[i] =
          sin(p->first[i]) * p->first[(i + 1) % n] + 0.3 * p->second[i];
    double *old = p->first;
    p->first = p->second;
    p->second = old;
  }
  for (int i = 0; i < n; ++i)
    sum += p->first[i] * p->first[i] + 2 * cos(p->second[i]);
  return sum;
}

static double repeated(const double *x, int n) {
  double a[MOST], b[MOST], da[MOST], db[MOST], sum = 0;
  for (int i = 0; i < n; ++i) {
    a[i] = x[i];
    b[i] = x[i] * x[(i + 2) % n];
    da[i] = db[i] = 0;
  }
  Pair p = {a, b}, dp = {da, db};
  for (int k = 0; k < 3; ++k) {
    __verso_grad((void *)swapped, verso_dup, &p, &dp, verso_const, n,
                 verso_const, k + 1);
    for (int i = 0; i < n; ++i)
      sum += (k + 1) * sin(dp.first[i]) + dp.second[i] * p.first[i];
  }
  return sum;
}
HESSIAN(repeated)

typedef struct Node {
  double value;
  struct Node *next;
} Node;

typedef struct {
  Node *head;
} List;

/// A new node in front, and the two behind it change places.
CHECK_NOINLINE static double pushed(List *l, double x) {
  Node *node = malloc(sizeof(Node)), *first = l->head, *second = first->next;
  first->next = second->next;
  second->next = first;
  node->value = x * first->value;
  node->next = second;
  l->head = node;
  double sum = 0, weight = 1;
  for (Node *n = l->head; n; n = n->next)
    sum += weight++ * n->value * n->value * n->value;
  return sum;
}

static double listed(const double *x, int n) {
  Node c = {x[2] * x[0], 0}, b = {x[1], &c}, a = {x[0] * x[1], &b};
  Node dc = {0, 0}, db = {0, &dc}, da = {0, &db};
  List l = {&a}, dl = {&da};
  double sum =
      __verso_grad((void *)pushed, verso_dup, &l, &dl, verso_out, x[3]);
  double weight = 1;
  Node *made = l.head;
  CHECK(dl.head == made && db.next == &da && da.next == &dc);
  for (Node *p = made; p; p = p->next)
    sum += weight++ * p->value * p->value;
  for (Node *p = &db; p; p = p->next)
    sum += weight++ * sin(p->value);
  free(made);
  return sum;
}
HESSIAN(listed)

/// Structures of the caller at both levels: four of them move.
static double gradient_of_swapped(Pair *p, Pair *dp, int n) {
  double v = 0;
  __verso_grad((void *)swapped, verso_dup, p, dp, verso_const, n, verso_const,
               3);
  for (int i = 0; i < n; ++i)
    v += dp->first[i] * (i + 1) + sin(dp->second[i]);
  return v;
}

enum { N = 3 };
static const double va[N] = {1, 0.5, -2}, vb[N] = {0.25, -1, 1.5};

static double moved_by(const double *a, const double *b, double h) {
  double x[N], y[N], dx[N] = {0}, dy[N] = {0};
  for (int i = 0; i < N; ++i) {
    x[i] = a[i] + h * va[i];
    y[i] = b[i] + h * vb[i];
  }
  Pair p = {x, y}, dp = {dx, dy};
  return gradient_of_swapped(&p, &dp, N);
}

static double slope_by_differences(const double *a, const double *b) {
  double slope[3], h = 1e-3;
  for (int i = 0; i < 3; ++i, h *= 2)
    slope[i] = (moved_by(a, b, h) - moved_by(a, b, -h)) / (2 * h);
  return check_extrapolate(slope[0], slope[1], slope[2]);
}

typedef struct {
  double a[N], b[N];
} Cells;

static void caller(int forward) {
  Cells c = {{0.3, -0.7, 1.1}, {0.2, 0.9, -0.4}}, d, t, dt;
  Pair p = {c.a, c.b}, dp = {d.a, d.b}, tp = {t.a, t.b}, dtp = {dt.a, dt.b};
  for (int k = 0; k < 5; ++k) {
    for (int i = 0; i < N; ++i) {
      c.a[i] = sin(c.a[i]);
      c.b[i] = cos(c.b[i]);
    }
    memset(&d, 0, sizeof d);
    memset(&t, 0, sizeof t);
    memset(&dt, 0, sizeof dt);
    double got, expected = slope_by_differences(p.first, p.second);
    if (forward) {
      memcpy(tp.first, va, sizeof va);
      memcpy(tp.second, vb, sizeof vb);
      got = __verso_jvp((void *)gradient_of_swapped, verso_dup, &p, &tp,
                        verso_dup, &dp, &dtp, verso_const, (int)N);
    } else {
      double *first = tp.first, *second = tp.second;
      __verso_grad_void((void *)gradient_of_swapped, verso_dup, &p, &tp,
                        verso_dup, &dp, &dtp, verso_const, (int)N);
      got = dot_product(first, va, N) + dot_product(second, vb, N);
    }
    CHECK_CLOSE(got, expected, 1e-7);
    int even = k % 2 == 0;
    CHECK(p.first == (even ? c.b : c.a) && p.second == (even ? c.a : c.b));
    CHECK(dp.first == (even ? d.b : d.a) && dp.second == (even ? d.a : d.b));
    CHECK(tp.first == (even ? t.b : t.a) && tp.second == (even ? t.a : t.b));
    CHECK(dtp.first == (even ? dt.b : dt.a));
    CHECK(dtp.second == (even ? dt.a : dt.b));
  }
}

int main(void) {
  check_cursor(4, 1, -1, 1, 1e-11);
  check_repeated(4, 1, -1, 1, 1e-11);
  check_listed(4, 1, -1, 1, 1e-11);
  caller(/*forward=*/0);
  caller(/*forward=*/1);
  return check_status();
}
