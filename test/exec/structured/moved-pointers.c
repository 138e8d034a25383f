//===- moved-pointers.c - pointers of the caller that stay moved ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that move pointers within structures of the caller, differentiated
// again and again: the shadow structure has to follow for good, or the second
// request gives its adjoints to the wrong cells. What a request allocated has no
// shadow afterwards.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

typedef struct {
  double *first, *second;
} Pair;

CHECK_NOINLINE static double swapped(Pair *p) {
  double *old = p->first;
  p->first = p->second;
  p->second = old;
  return *p->first * *p->first + 2 * *p->second * *p->second;
}

static void pairs(void) {
  double x = 2, y = 10, dx = 0, dy = 0;
  Pair p = {&x, &y}, dp = {&dx, &dy};
  for (int k = 0; k < 5; ++k) {
    dx = dy = 0;
    __verso_grad((void *)swapped, &p, &dp);
    int y_is_first = k % 2 == 0;
    CHECK(p.first == (y_is_first ? &y : &x));
    CHECK(dp.first == (y_is_first ? &dy : &dx));
    CHECK(dp.second == (y_is_first ? &dx : &dy));
    CHECK_CLOSE(dx, (y_is_first ? 4 : 2) * x, 1e-14);
    CHECK_CLOSE(dy, (y_is_first ? 2 : 4) * y, 1e-14);
  }
}

/// Buffers that are swapped in a loop, some of the time not at all.
CHECK_NOINLINE static double relaxed(Pair *p, int n, int steps) {
  for (int s = 0; s < steps; ++s) {
    for (int i = 0; i < n; ++i)
      p->second[i] = 0.5 * p->first[i] * p->first[(i + 1) % n];
    double *old = p->first;
    p->first = p->second;
    p->second = old;
  }
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += p->first[i];
  return sum;
}

static void buffers(void) {
  for (int steps = 0; steps < 4; ++steps) {
    double a[3] = {1.5, 2, -1}, b[3] = {0}, da[3] = {0}, db[3] = {0};
    Pair p = {a, b}, dp = {da, db};
    for (int k = 0; k < 3; ++k) {
      double *read = p.first, *dread = read == a ? da : db;
      double x[3], up, down;
      memcpy(x, read, sizeof(x));
      memset(da, 0, sizeof(da));
      memset(db, 0, sizeof(db));
      __verso_grad((void *)relaxed, &p, &dp, 3, steps);
      CHECK(dp.first == (p.first == a ? da : db));
      CHECK(dp.second == (p.second == a ? da : db));
      for (int i = 0; i < 3; ++i) {
        // A polynomial of degree two in each cell at most, after one step; the
        // differences of more are small enough.
        const double h = 1e-5;
        double c[3], d[3];
        Pair q = {c, d};
        memcpy(c, x, sizeof(x));
        c[i] += h;
        up = relaxed(&q, 3, steps);
        q = (Pair){c, d};
        memcpy(c, x, sizeof(x));
        c[i] -= h;
        down = relaxed(&q, 3, steps);
        CHECK_CLOSE(dread[i], (up - down) / (2 * h), 1e-7);
      }
    }
  }
}

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
    sum += weight++ * n->value * n->value;
  return sum;
}

static void lists(void) {
  Node b = {3, 0}, a = {2, &b}, db = {0, 0}, da = {0, &db};
  List l = {&a}, dl = {&da};
  double dx = __verso_grad((void *)pushed, &l, &dl, 0.5);
  // node, b, a: (x a)^2 + 2 b^2 + 3 a^2
  CHECK_CLOSE(dx, 2 * 0.5 * 4, 1e-14);
  CHECK_CLOSE(da.value, 2 * 0.25 * 2 + 6 * 2, 1e-14);
  CHECK_CLOSE(db.value, 4 * 3, 1e-14);
  Node *made = l.head;
  CHECK(made->next == &b && b.next == &a && !a.next);
  // The new node is its own shadow: nobody gave it one.
  CHECK(dl.head == made);
  CHECK(db.next == &da && !da.next);
  free(made);
}

static double constant = 4;

/// Numbers of the program's own.
CHECK_NOINLINE static double pointed(Pair *p, double x) {
  double own = x * *p->first;
  p->second = &constant;
  p->first = &own;
  double y = *p->first * *p->second;
  p->first = p->second;
  return y;
}

static void globals(void) {
  double a = 3, b = 5, da = 0, db = 0;
  Pair p = {&a, &b}, dp = {&da, &db};
  CHECK_CLOSE(__verso_grad((void *)pointed, &p, &dp, 2.0), 12, 1e-14);
  CHECK_CLOSE(da, 8, 1e-14);
  CHECK_CLOSE(db, 0, 1e-14);
  CHECK(p.first == &constant && p.second == &constant);
  CHECK(dp.first == &constant && dp.second == &constant);
}

int main(void) {
  pairs();
  buffers();
  lists();
  globals();
  return check_status();
}
