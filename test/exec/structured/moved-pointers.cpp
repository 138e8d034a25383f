//===- moved-pointers.cpp - pointers that move as integers ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The optimiser merges owners of different types to one, whose pointer it moves
// as an integer; nodes are linked through one of several fields. Neither is a
// reason for a tape.
//
// STRATEGY: structured
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <memory>
#include <vector>

struct Function {
  virtual ~Function() = default;
  virtual double operator()(double x) const = 0;
};
struct Scale : Function {
  explicit Scale(double factor) : factor(factor) {}
  double operator()(double x) const override { return factor * x; }
  double factor;
};
struct Wave : Scale {
  using Scale::Scale;
  double operator()(double x) const override {
    return std::sin(Scale::operator()(x));
  }
};
static std::unique_ptr<Function> make(int kind, double parameter) {
  if (kind)
    return std::make_unique<Wave>(parameter * parameter);
  return std::make_unique<Scale>(parameter);
}
CHECK_NOINLINE static double run(const int *kinds, int n, double x, double p) {
  std::vector<std::unique_ptr<Function>> functions;
  functions.reserve(8);
  for (int i = 0; i < n; ++i)
    functions.push_back(make(kinds[i], p - 0.1 * i));
  for (const auto &function : functions)
    x = (*function)(x);
  return x;
}

struct Node {
  Node *up, *left, *right;
  double value;
};
/// A tree without order, linked by the address of a field.
CHECK_NOINLINE static double chain(int turns, int count, double x, double y) {
  Node nodes[5] = {};
  Node *root = nullptr;
  for (int i = 0; i < count; ++i) {
    Node *n = nodes + i;
    n->value = i % 2 ? x * i : y + i;
    Node **link = &root;
    for (int bits = turns; *link; bits >>= 1)
      link = bits & 1 ? &(*link)->left : &(*link)->right;
    *link = n;
  }
  double sum = 0, weight = 1;
  for (Node *n = root; n; n = n->left ? n->left : n->right)
    sum += (weight *= 0.5) * n->value * n->value;
  return sum;
}

struct Two {
  double x, y;
};
extern "C" Two __verso_grad_two(void *, ...);
static const int kinds[] = {0, 1, 1, 0, 1};
static int turns;

int main() {
  double in[] = {0.7, 0.9};
  Two g = __verso_grad_two((void *)run, verso_const, kinds, 5, in[0], in[1]);
  double gradient[] = {g.x, g.y};
  CHECK_GRADIENT([](double *v) { return run(kinds, 5, v[0], v[1]); }, 2, in,
                 gradient, 1e-6);
  for (turns = 0; turns < 16; turns += 5) {
    g = __verso_grad_two((void *)chain, turns, 5, in[0], in[1]);
    double ofChain[] = {g.x, g.y};
    CHECK_GRADIENT([](double *v) { return chain(turns, 5, v[0], v[1]); }, 2, in,
                   ofChain, 1e-6);
  }
  return check_status();
}
