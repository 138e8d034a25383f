//===- initialised-statics.cpp - what a function's first call makes -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Static variables of functions lead to functions and to objects with virtual
// ones. The first request initialises them, later ones find them; one of them
// is not reached at first, and one keeps a number of the request that made it.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

static const std::function<double(double)> &rate() {
  static const std::function<double(double)> r = [](double u) {
    return std::exp(u);
  };
  return r;
}

CHECK_NOINLINE static double through_function(const double *p) {
  double s = 0;
  for (int i = 0; i < 3; ++i)
    s += rate()(p[i]) * p[0];
  return s;
}

struct Layer {
  virtual ~Layer() = default;
  virtual double apply(double x) const = 0;
};
struct Scale : Layer {
  double W;
  explicit Scale(double W) : W(W) {}
  double apply(double x) const override { return W * x; }
};
struct Square : Layer {
  double apply(double x) const override { return x * x; }
};

static const std::vector<std::unique_ptr<Layer>> &net() {
  static const std::vector<std::unique_ptr<Layer>> layers = [] {
    std::vector<std::unique_ptr<Layer>> l;
    l.push_back(std::make_unique<Scale>(3));
    l.push_back(std::make_unique<Square>());
    return l;
  }();
  return layers;
}

CHECK_NOINLINE static double through_net(const double *p) {
  double s = 0;
  for (int i = 0; i < 3; ++i) {
    double x = p[i];
    for (const auto &layer : net())
      x = layer->apply(x);
    s += x;
  }
  return s;
}

// Only where p[0] is negative.
static const Layer &rare() {
  static const std::unique_ptr<Layer> l = std::make_unique<Scale>(7);
  return *l;
}
CHECK_NOINLINE static double rarely(const double *p) {
  return p[0] < 0 ? rare().apply(p[0]) : p[1] * p[1];
}

// What the first request computes is a constant of all that come after it.
CHECK_NOINLINE static double keeps(const double *p) {
  static const std::unique_ptr<Scale> l = std::make_unique<Scale>(p[1]);
  const Layer &first = *l;
  return first.apply(p[0]) + rate()(p[2]);
}

typedef double function(const double *);
template <function f>
static void check(double x, double y, double z, const double (&d)[3]) {
  double p[3] = {x, y, z}, dp[3] = {};
  __verso_grad((void *)f, verso_dup, p, dp);
  for (int i = 0; i < 3; ++i)
    CHECK_CLOSE(dp[i], d[i], 1e-14);
}

int main() {
  for (int k = 0; k < 3; ++k) {
    double a = std::exp(0.5), b = std::exp(1), c = std::exp(1.5 + k);
    check<through_function>(0.5, 1, 1.5 + k,
                            {a + b + c + 0.5 * a, 0.5 * b, 0.5 * c});
    check<through_net>(1, 2, k, {18, 36, 18. * k});
    check<rarely>(2, 3, 0, {0, 6, 0});
  }
  check<rarely>(-2, 3, 0, {7, 0, 0});
  check<rarely>(-2, 3, 0, {7, 0, 0});
  check<rarely>(2, 3, 0, {0, 6, 0});
  check<keeps>(2, 5, 0, {5, 2, 1});
  check<keeps>(2, 6, 0, {5, 0, 1});
  check<keeps>(3, 7, 0, {5, 0, 1});
  return check_status();
}
