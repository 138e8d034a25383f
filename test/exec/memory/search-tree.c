//===- search-tree.c - a binary search tree -------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tree with active keys and values is built by insertion, searched, and
// summed by recursion; the path that is taken depends on the keys.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct tree {
  double key, value;
  struct tree *left, *right;
};

CHECK_NOINLINE static struct tree *insert(struct tree *t, double key,
                                          double value) {
  if (!t) {
    t = calloc(1, sizeof *t);
    t->key = key;
    t->value = value;
  } else if (key < t->key) {
    t->left = insert(t->left, key, value);
  } else if (key > t->key) {
    t->right = insert(t->right, key, value);
  } else {
    t->value += value;
  }
  return t;
}
CHECK_NOINLINE static double nearest(const struct tree *t, double key) {
  const struct tree *best = t;
  while (t) {
    if (fabs(t->key - key) < fabs(best->key - key))
      best = t;
    t = key < t->key ? t->left : t->right;
  }
  return best->value / (1 + fabs(best->key - key));
}
CHECK_NOINLINE static double depth_sum(const struct tree *t, double depth) {
  if (!t)
    return 0;
  return t->value * depth + depth_sum(t->left, depth + 1) +
         depth_sum(t->right, depth + 1);
}
CHECK_NOINLINE static void destroy(struct tree *t) {
  if (!t)
    return;
  destroy(t->left);
  destroy(t->right);
  free(t);
}
CHECK_NOINLINE static double run(const double *x, int n) {
  struct tree *t = NULL;
  for (int i = 0; i + 1 < n; i += 2)
    t = insert(t, x[i], x[i + 1] * x[i + 1]);
  double result = nearest(t, x[0] + 0.6) + depth_sum(t, 1);
  destroy(t);
  return result;
}
static double run_10(double *x) { return run(x, 10); }

int main(void) {
  double x[] = {5, 1, 2, 3, 8, 2, 6, 4, 1, 7}, dx[10] = {0};
  __verso_grad_void(run, verso_dup, x, dx, 10);
  CHECK_GRADIENT(run_10, 10, x, dx, 1e-8);
  return check_status();
}
