//===- search-tree.c - watched nodes of a tree ----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program reaches its parameters through pointers; every node is watched, the
// tree itself is constant, and the adjoints are read at the addresses of the
// nodes. Nobody builds a second tree.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

void verso_watch(void *, size_t);
void *verso_adjoint_of(const void *);

struct node {
  double value;
  int depth;
  float weight;
  struct node *left, *right;
};

static struct node *grow(int depth) {
  struct node *n = malloc(sizeof *n);
  n->value = depth + 0.5;
  n->depth = depth;
  n->weight = 2;
  n->left = depth ? grow(depth - 1) : NULL;
  n->right = depth > 1 ? grow(depth - 2) : NULL;
  return n;
}
static void watch(struct node *n) {
  if (!n)
    return;
  verso_watch(n, sizeof *n);
  watch(n->left);
  watch(n->right);
}
CHECK_NOINLINE static double fold(const struct node *n, double x) {
  if (!n)
    return x;
  return n->value * n->value * n->weight + fold(n->left, x) * x +
         fold(n->right, x);
}
/// The adjoint of fold(n, x) is a.
static void compare(const struct node *n, double x, double a) {
  if (!n)
    return;
  const struct node *adjoint = verso_adjoint_of(n);
  CHECK_CLOSE(adjoint->value, 2 * n->value * n->weight * a, 1e-14);
  CHECK_CLOSE(adjoint->weight, n->value * n->value * a, 1e-6);
  compare(n->left, x, a * x);
  compare(n->right, x, a);
}
static struct node *root;
static double fold_at(double x) { return fold(root, x); }
static void destroy(struct node *n) {
  if (!n)
    return;
  destroy(n->left);
  destroy(n->right);
  free(n);
}

int main(void) {
  root = grow(5);
  for (int round = 0; round < 3; ++round) {
    double x = 0.5 + round;
    watch(root);
    double dx = __verso_grad(fold, verso_const, root, x);
    CHECK_CLOSE(dx, central_difference(fold_at, x), 1e-8);
    compare(root, x, 1);
  }
  destroy(root);
  return check_status();
}
