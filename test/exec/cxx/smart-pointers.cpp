//===- smart-pointers.cpp - std::unique_ptr and std::shared_ptr -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expression trees owned by unique_ptr, a graph that shares nodes by shared_ptr
// and weak_ptr, arrays owned by unique_ptr.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <memory>
#include <utility>
#include <vector>

struct Node {
  double value;
  std::unique_ptr<Node> left, right;
};
CHECK_NOINLINE static std::unique_ptr<Node> build(const double *x, int from,
                                                  int to) {
  if (from == to)
    return nullptr;
  int middle = (from + to) / 2;
  auto node = std::make_unique<Node>();
  node->value = x[middle] * x[middle];
  node->left = build(x, from, middle);
  node->right = build(x, middle + 1, to);
  return node;
}
CHECK_NOINLINE static double fold(const std::unique_ptr<Node> &node) {
  return node ? node->value * (1 + fold(node->left)) + fold(node->right) : 0.5;
}
CHECK_NOINLINE static double tree(const double *x, int n) {
  auto root = build(x, 0, n);
  std::swap(root->left, root->right);
  return fold(root);
}

struct Shared {
  explicit Shared(double v) : value(v) {}
  double value;
  std::vector<std::shared_ptr<Shared>> uses;
  std::weak_ptr<Shared> owner;
};
CHECK_NOINLINE static double graph(const double *x, int n) {
  std::vector<std::shared_ptr<Shared>> nodes;
  for (int i = 0; i < n; ++i) {
    auto node = std::make_shared<Shared>(x[i]);
    for (int j = i % 2; j < i; j += 2)
      node->uses.push_back(nodes[static_cast<std::size_t>(j)]);
    if (i > 0)
      node->owner = nodes.back();
    nodes.push_back(std::move(node));
  }
  for (auto &node : nodes)
    for (auto &use : node->uses)
      node->value += use->value * use->value;
  auto owner = nodes.back()->owner.lock();
  auto scratch = std::make_unique<double[]>(2);
  scratch[0] = owner->value;
  scratch[1] = nodes.back()->value;
  return scratch[0] * scratch[1];
}
static double tree_6(double *x) { return tree(x, 6); }
static double graph_6(double *x) { return graph(x, 6); }

int main() {
  double x[] = {0.5, 1, 0.25, -1, 1.5, 0.75}, da[6] = {}, db[6] = {};
  __verso_grad_void((void *)tree, verso_dup, x, da, 6);
  CHECK_GRADIENT(tree_6, 6, x, da, 1e-8);
  __verso_grad_void((void *)graph, verso_dup, x, db, 6);
  CHECK_GRADIENT(graph_6, 6, x, db, 1e-8);
  return check_status();
}
