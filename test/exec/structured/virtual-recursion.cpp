//===- virtual-recursion.cpp - recursion through virtual functions --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who calls whom in a circle is not known before the objects are: trees whose
// nodes compute arrays, own their children and are destroyed by recursion, two
// circles that meet, a table of functions, a closure that calls itself, and
// nodes of the caller, whose class nobody knows (by tape).
//
// HEAVY: the standard library
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <functional>
#include <memory>

static constexpr int Length = 3;

struct Node {
  virtual ~Node() = default;
  virtual void compute(const double *x, double *out) const = 0;
  virtual void addTo(double *sum, const double *x) const = 0;
};
using Owned = std::unique_ptr<Node>;

struct Leaf : Node {
  int from;
  explicit Leaf(int from) : from(from) {}
  void compute(const double *x, double *out) const override {
    for (int k = 0; k < Length; ++k)
      out[k] = x[(from + k) % 4];
  }
  void addTo(double *sum, const double *x) const override {
    *sum += x[from % 4];
  }
};
struct Sum : Node {
  Owned a, b;
  Sum(Owned a, Owned b) : a(std::move(a)), b(std::move(b)) {}
  void compute(const double *x, double *out) const override {
    double other[Length];
    a->compute(x, out);
    b->compute(x, other);
    for (int k = 0; k < Length; ++k)
      out[k] += 0.5 * other[k];
  }
  void addTo(double *sum, const double *x) const override {
    a->addTo(sum, x);
    b->addTo(sum, x);
  }
};
struct Product : Node {
  Owned a, b;
  double weight;
  Product(Owned a, Owned b, double weight)
      : a(std::move(a)), b(std::move(b)), weight(weight) {}
  void compute(const double *x, double *out) const override {
    double other[Length];
    b->compute(x, other);
    a->compute(x, out);
    for (int k = 0; k < Length; ++k)
      out[k] *= weight * other[Length - 1 - k];
  }
  void addTo(double *sum, const double *x) const override {
    a->addTo(sum, x);
    *sum *= weight;
    b->addTo(sum, x);
  }
};
// One circle leads into the other.
struct Scaled : Node {
  Owned a;
  explicit Scaled(Owned a) : a(std::move(a)) {}
  void compute(const double *x, double *out) const override {
    a->compute(x, out);
    double by = 0;
    a->addTo(&by, x);
    by = std::sin(by) + 1.5;
    for (int k = 0; k < Length; ++k)
      out[k] *= by;
  }
  void addTo(double *sum, const double *x) const override { a->addTo(sum, x); }
};

CHECK_NOINLINE static double finish(const Node &root, const double *x) {
  double out[Length], sum = 0;
  root.compute(x, out);
  for (int k = 0; k < Length; ++k)
    sum += (k + 1) * out[k];
  return sum;
}

static double overTree(const double *x, int n) {
  Owned tree = std::make_unique<Leaf>(0);
  for (int i = 1; i < n; ++i) {
    if (i % 3 == 0)
      tree = std::make_unique<Sum>(std::move(tree), std::make_unique<Leaf>(i));
    else if (i % 3 == 1)
      tree = std::make_unique<Product>(std::make_unique<Leaf>(i),
                                       std::move(tree), x[i % 4]);
    else
      tree = std::make_unique<Scaled>(std::move(tree));
  }
  return finish(*tree, x);
}

// Nodes of the caller.
static double overGiven(const double *x, const Node *root) {
  return finish(*root, x);
}

// A class that only the caller's objects know of; the node is the second base.
struct Named {
  virtual ~Named() = default;
  virtual int name() const { return 3; }
};
struct Foreign : Named, Node {
  void compute(const double *x, double *out) const override {
    for (int k = 0; k < Length; ++k)
      out[k] = std::exp(x[k]);
  }
  void addTo(double *sum, const double *x) const override {
    *sum += x[0] * x[0];
  }
};

struct Machine {
  void (*run[3])(const Machine *, double *, int);
};
static void halve(const Machine *m, double *v, int depth) {
  for (int k = 0; k < Length; ++k)
    v[k] *= 0.5 + v[(k + 1) % Length];
  if (depth > 0)
    m->run[depth % 3](m, v, depth - 1);
}
static void bend(const Machine *m, double *v, int depth) {
  if (depth > 0)
    m->run[(depth + 1) % 3](m, v, depth - 1);
  for (int k = 0; k < Length; ++k)
    v[k] = std::sin(v[k]);
}
static void stop(const Machine *, double *v, int) { v[0] *= v[1]; }

static double byTable(const double *x, int depth) {
  Machine m = {{halve, bend, depth > 3 ? halve : stop}};
  double v[Length] = {x[0], x[1], x[2]};
  m.run[depth % 2](&m, v, depth);
  return v[0] + v[1] * v[2] * x[3];
}

static double byClosure(const double *x, int n) {
  double seen[4] = {0, 0, 0, 0};
  std::function<void(int, double)> visit = [&](int i, double weight) {
    for (int k = 0; k < 4; ++k)
      seen[k] += weight * x[(i + k) % 4];
    if (i < n)
      visit(i + 1, weight * x[i % 4]);
    if (i + 1 < n)
      visit(i + 2, std::cos(weight));
  };
  visit(0, 1);
  return seen[0] * seen[1] + seen[2] * seen[3];
}

extern "C" double __verso_value_and_grad(void *, ...);

template <class T> static T passed;
template <auto *f, class T> static void check(const double *x, T with) {
  passed<T> = with;
  double gradient[4] = {0, 0, 0, 0};
  double value = __verso_value_and_grad((void *)f, verso_dup, x, gradient,
                                        verso_const, with);
  CHECK_CLOSE(value, f(x, with), 1e-13);
  CHECK_GRADIENT([](double *v) { return f(v, passed<T>); }, 4, x, gradient,
                 1e-6);
}

int main() {
  const double x[4] = {0.7, 1.1, 0.4, 0.9};
  for (int n : {1, 2, 3, 6, 9})
    check<overTree>(x, n);
  Sum given(std::make_unique<Leaf>(1),
            std::make_unique<Scaled>(std::make_unique<Foreign>()));
  check<overGiven>(x, (const Node *)&given);
  for (int depth : {0, 1, 2, 4, 5})
    check<byTable>(x, depth);
  for (int n : {0, 1, 3})
    check<byClosure>(x, n);
  return check_status();
}
