//===- trees-that-are-released.cpp - destructors that call one another ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Trees of unique_ptr whose destructors, inlined wherever a tree may be
// released, would make the function too large: they stay calls. What they
// release is read in the reverse sweep no more; what was released may be where
// the next tree is. A virtual destructor that does more than release memory is
// no such function, and is differentiated (by tape).
//
// HEAVY: the standard library
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <array>
#include <cmath>
#include <memory>
#include <vector>

extern "C" double __verso_jvp(void *, ...);

namespace {

/// Mass at places in a square, in eighths of eighths (of which half are never
/// there).
class Quadrants {
public:
  Quadrants(double cx, double cy, double half) : cx(cx), cy(cy), half(half) {}
  void insert(double x, double y, double m, int depth = 0) {
    mass += m;
    mx += m * x;
    my += m * y;
    if (depth == 4)
      return;
    int k = (x >= cx) | (y >= cy) << 1 | (m > 9) << 2;
    if (!children[k])
      children[k] = std::make_unique<Quadrants>(
          cx + (k & 1 ? 0.5 : -0.5) * half, cy + (k & 2 ? 0.5 : -0.5) * half,
          half / 2);
    children[k]->insert(x, y, m, depth + 1);
  }
  void finish() {
    for (auto &c : children)
      if (c) {
        c->finish();
        spread += c->spread + c->mass * (c->mx - mx) * (c->mx - mx);
      }
  }
  double pull(double x, double y) const {
    double dx = mx / mass - x, dy = my / mass - y, r2 = dx * dx + dy * dy + 0.1;
    if (4 * half * half < 0.5 * r2)
      return mass / std::sqrt(r2) + 0.01 * spread / r2;
    double sum = 0;
    bool any = false;
    for (const auto &c : children)
      if (c) {
        sum += c->pull(x, y);
        any = true;
      }
    return any ? sum : mass / std::sqrt(r2);
  }

private:
  double cx, cy, half, mass = 0, mx = 0, my = 0, spread = 0;
  std::array<std::unique_ptr<Quadrants>, 8> children;
};

/// A tree of its own each time, of points that the last one moved.
double move(std::vector<double> &p, double by) {
  Quadrants tree(0, 0, 4);
  double sum = 0;
  size_t n = p.size() / 2;
  for (size_t i = 0; i < n; ++i)
    tree.insert(p[2 * i], p[2 * i + 1], 1 + 0.1 * double(i));
  tree.finish();
  for (size_t i = 0; i < n; ++i) {
    double f = tree.pull(p[2 * i], p[2 * i + 1]);
    sum += f;
    p[2 * i] += by * f * p[2 * i + 1];
    p[2 * i + 1] -= by * f;
  }
  return sum;
}
double fields(const double *x, int n) {
  std::vector<double> p(x, x + 2 * n);
  double sum = move(p, 0.01);
  for (int step = 0; step < 3; ++step)
    sum += move(p, 0.02) * move(p, -0.01);
  sum += move(p, 0.03);
  for (int step = 0; step < 2; ++step)
    sum += move(p, 0.01) / move(p, 0.01) + move(p, 0.02);
  return sum + move(p, 0);
}

struct Node {
  virtual ~Node() = default;
  virtual double at(double x) const = 0;
};
struct Leaf : Node {
  std::vector<double> scores;
  explicit Leaf(std::vector<double> s) : scores(std::move(s)) {}
  double at(double x) const override {
    double sum = 0;
    for (double s : scores)
      sum = sum * x + s;
    return sum;
  }
};
struct Split : Node {
  double where;
  std::unique_ptr<Node> left, right;
  Split(double where, std::unique_ptr<Node> l, std::unique_ptr<Node> r)
      : where(where), left(std::move(l)), right(std::move(r)) {}
  double at(double x) const override {
    double p = 1 / (1 + std::exp(where - x));
    return p * left->at(x) + (1 - p) * right->at(x);
  }
};
std::unique_ptr<Node> grow(const double *&x, int depth) {
  if (depth == 0) {
    std::vector<double> scores(x, x + 2);
    x += 2;
    return std::make_unique<Leaf>(std::move(scores));
  }
  double where = *x++;
  auto l = grow(x, depth - 1);
  return std::make_unique<Split>(where, std::move(l), grow(x, depth - 1));
}
double forest(const double *x, int n) {
  double sum = 0;
  for (int tree = 0; tree < n; ++tree) {
    const double *at = x + tree;
    auto root = grow(at, 2);
    sum += root->at(x[0]) * root->at(0.3 * tree);
  }
  return sum;
}

/// A destructor with an effect on numbers.
struct Tally {
  double *total, value;
  std::unique_ptr<Tally> next;
  Tally(double *t, double v, std::unique_ptr<Tally> n)
      : total(t), value(v), next(std::move(n)) {}
  virtual ~Tally() { *total += value * value; }
};
double tallies(const double *x, int n) {
  double total = 0, sum = 0;
  for (int k = 0; k < 2; ++k) {
    std::unique_ptr<Tally> list;
    for (int i = 0; i < n; ++i)
      list = std::make_unique<Tally>(&total, x[i], std::move(list));
    sum += total * x[k];
    list.reset();
    sum += total;
  }
  return sum;
}

template <double F(const double *, int)> void check(int n, int numbers) {
  for (int again = 0; again < 2; ++again) {
    double x[16], g[16] = {}, v[16], seed = 0.37 + again;
    for (int i = 0; i < numbers; ++i) {
      x[i] = 3 * std::sin(seed * (i + 1));
      v[i] = std::cos(seed * i * i + 1);
    }
    __verso_grad((void *)F, verso_dup, x, g, verso_const, n);
    double slope = 0;
    for (int i = 0; i < numbers; ++i)
      slope += g[i] * v[i];
    CHECK_CLOSE(slope, __verso_jvp((void *)F, verso_dup, x, v, verso_const, n),
                1e-12);
    CHECK(slope != 0);
  }
}

} // namespace

int main() {
  check<fields>(5, 10);
  check<fields>(2, 4);
  check<forest>(3, 13);
  check<tallies>(4, 4);
  return check_status();
}
