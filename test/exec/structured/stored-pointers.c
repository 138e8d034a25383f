//===- stored-pointers.c - pointers stored in the user's structures -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists that are reversed in place, buffers that are swapped through a
// structure, and nodes that are added to one: shadows follow, and the shadow
// structure is what it was when the request is over.
//
// FLAGS: -Rpass-missed=verso
//===----------------------------------------------------------------------===//

#include "../check.h"

typedef struct Node {
  double value;
  struct Node *next;
} Node;

CHECK_NOINLINE static double reversed(Node *list) {
  Node *done = NULL;
  double weight = 1;
  while (list) {
    Node *next = list->next;
    list->value *= list->value;
    list->next = done;
    done = list;
    list = next;
  }
  double s = 0;
  for (Node *n = done; n; n = n->next, weight *= 2)
    s += weight * n->value;
  // And back, so that the caller finds its list.
  Node *again = NULL;
  while (done) {
    Node *next = done->next;
    done->next = again;
    again = done;
    done = next;
  }
  return s;
}

struct grid {
  int n;
  double *now, *then;
};
CHECK_NOINLINE static double diffuse(struct grid *g, int steps) {
  for (int k = 0; k < steps; ++k) {
    for (int i = 1; i + 1 < g->n; ++i)
      g->then[i] = g->now[i - 1] * g->now[i + 1] + 0.5 * g->now[i];
    double *other = g->now;
    g->now = g->then;
    g->then = other;
  }
  double s = 0;
  for (int i = 0; i < g->n; ++i)
    s += g->now[i] * (i + 1);
  return s;
}
static double diffuse_6(double *x) {
  double other[6] = {x[0], 0, 0, 0, 0, x[5]}, now[6];
  memcpy(now, x, sizeof now);
  struct grid g = {6, now, other};
  return diffuse(&g, 4);
}

CHECK_NOINLINE static double extended(Node *list, double x) {
  Node extra = {x * x, list->next};
  list->next = &extra;
  double s = 0;
  for (Node *n = list; n; n = n->next)
    s = s * 0.5 + n->value * n->value;
  list->next = extra.next;
  return s;
}

int main(void) {
  Node c = {5, NULL}, b = {2, &c}, a = {1, &b};
  Node dc = {0, NULL}, db = {0, &dc}, da = {0, &db};
  __verso_grad_void(reversed, verso_dup, &a, &da);
  CHECK_EQUAL(da.value, 4 * 2 * 1);
  CHECK_EQUAL(db.value, 2 * 2 * 2);
  CHECK_EQUAL(dc.value, 2 * 5);
  CHECK(da.next == &db && db.next == &dc && dc.next == NULL);

  double x[6] = {1, 0.5, 2, -1, 0.25, 1}, other[6] = {1, 0, 0, 0, 0, 1};
  double now[6], dnow[6] = {0}, dother[6] = {0}, dx[6];
  memcpy(now, x, sizeof now);
  struct grid g = {6, now, other}, dg = {0, dnow, dother};
  __verso_grad_void(diffuse, verso_dup, &g, &dg, 4);
  CHECK(dg.now == dnow && dg.then == dother);
  for (int i = 0; i < 6; ++i)
    dx[i] = dnow[i] + (i == 0 || i == 5 ? dother[i] : 0);
  CHECK_GRADIENT(diffuse_6, 6, x, dx, 1e-8);

  Node e = {3, NULL}, d = {2, &e}, de = {0, NULL}, dd = {0, &de};
  CHECK_EQUAL(__verso_grad(extended, verso_dup, &d, &dd, 1.5),
              0.5 * 4 * 1.5 * 1.5 * 1.5);
  CHECK_EQUAL(dd.value, 0.25 * 4);
  CHECK_EQUAL(de.value, 6);
  CHECK(dd.next == &de);
  return check_status();
}
