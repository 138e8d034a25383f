//===- linked-structures.c - linked, with linked shadows ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists, trees and tables of pointers whose shadow has the same shape:
// tangents are read from and written to the shadow's nodes; links are rewired,
// nodes inserted and moved within the function, and a second request on the
// changed structure sees the changed shadow.
//
//===----------------------------------------------------------------------===//

#include "forward.h"

struct node {
  double value;
  struct node *next;
};

CHECK_NOINLINE static double sum_of_squares(const struct node *list) {
  double sum = 0;
  for (; list; list = list->next)
    sum += list->value * list->value;
  return sum;
}
CHECK_NOINLINE static void scale(struct node *list, double by) {
  for (; list; list = list->next)
    list->value *= by;
}
CHECK_NOINLINE static void reverse(struct node **head) {
  struct node *done = 0;
  while (*head) {
    struct node *next = (*head)->next;
    (*head)->next = done;
    done = *head;
    *head = next;
  }
  *head = done;
}
struct tree {
  struct tree *left, *right;
  float key;
  double value;
};
CHECK_NOINLINE static double walk(struct tree *t, double depth) {
  if (!t)
    return 0;
  t->value = t->value * depth + t->key;
  return t->value * t->value + walk(t->left, depth * 2) +
         walk(t->right, depth + t->value);
}
struct model {
  int rows;
  double **row;
  double (*apply)(double);
};
static double cube(double x) { return x * x * x; }
CHECK_NOINLINE static double evaluate(struct model *m) {
  double sum = 0;
  for (int i = 0; i < m->rows; ++i)
    for (int j = 0; j < 2; ++j)
      sum += m->apply(m->row[i][j]) * (i + 1);
  return sum;
}

int main(void) {
  struct node n[3], d[3];
  for (int i = 0; i < 3; ++i) {
    n[i].value = i + 1;
    d[i].value = 10 * (i + 1);
    n[i].next = i < 2 ? &n[i + 1] : 0;
    d[i].next = i < 2 ? &d[i + 1] : 0;
  }
  CHECK_EQUAL(__verso_jvp(sum_of_squares, verso_dup, n, d), 2 * 10 * 14);
  __verso_jvp_void(scale, verso_dup, n, d, verso_dup, 2.0, 0.5);
  CHECK_EQUAL(n[2].value, 6);
  CHECK_EQUAL(d[0].value, 20 + 0.5);
  CHECK_EQUAL(d[2].value, 60 + 1.5);
  struct node *head = n, *dhead = d;
  __verso_jvp_void(reverse, verso_dup, &head, &dhead);
  CHECK(head == &n[2] && head->next == &n[1] && !n[0].next);
  CHECK(dhead == &d[2]);
  CHECK(d[2].next == &d[1]);
  CHECK(d[1].next == &d[0]);
  CHECK(!d[0].next);
  if (dhead == &d[2] && d[2].next == &d[1]) {
    d[0].value = d[1].value = 0;
    d[2].value = 1;
    CHECK_EQUAL(__verso_jvp(sum_of_squares, verso_dup, head, dhead), 12);
  }

  struct tree t[4] = {{&t[1], &t[2], 1, 0.5},
                      {0, &t[3], 2, 1.5},
                      {0, 0, 3, -0.5},
                      {0, 0, 4, 0.25}};
  struct tree dt[4] = {{&dt[1], &dt[2], 0.5f, 1},
                       {0, &dt[3], 0, 2},
                       {0, 0, 1, 0},
                       {0, 0, 0, -1}};
  // By hand: (value, tangent) of each node in the order of the walk.
  double depth[4] = {1, 2, 0, 0}, ddepth[4] = {0.5, 1, 0, 0};
  double v[4], dv[4];
  int order[4] = {0, 1, 3, 2};
  double expected = 0;
  v[0] = 0.5 * 1 + 1, dv[0] = 1 + 0.5 * 0.5 + 0.5;
  depth[2] = 1 + v[0], ddepth[2] = 0.5 + dv[0];
  v[1] = 1.5 * 2 + 2, dv[1] = 2 * 2 + 1.5 * 1;
  depth[3] = 2 + v[1], ddepth[3] = 1 + dv[1];
  v[3] = 0.25 * depth[3] + 4, dv[3] = -depth[3] + 0.25 * ddepth[3];
  v[2] = -0.5 * depth[2] + 3, dv[2] = -0.5 * ddepth[2] + 1;
  for (int i = 0; i < 4; ++i)
    expected += 2 * v[order[i]] * dv[order[i]];
  CHECK_CLOSE(__verso_jvp(walk, verso_dup, t, dt, verso_dup, 1.0, 0.5),
              expected, 1e-15);
  for (int i = 0; i < 4; ++i) {
    CHECK_CLOSE(t[i].value, v[i], 1e-15);
    CHECK_CLOSE(dt[i].value, dv[i], 1e-15);
  }

  double a[2][2] = {{1, 2}, {3, 4}}, da[2][2] = {{1, 0}, {0, 1}};
  double *rows[] = {a[0], a[1]}, *drows[] = {da[0], da[1]};
  struct model m = {2, rows, cube}, dm = {0, drows, 0};
  CHECK_EQUAL(__verso_jvp(evaluate, verso_dup, &m, &dm), 3 + 2 * 3 * 16);
  return check_status();
}
