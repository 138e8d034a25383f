//===- virtual-calls.cpp - virtual calls through a factory ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects made by a factory from a number that is known at run time only,
// called through their base, with several levels, multiple inheritance and a
// virtual destructor.
//
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
struct Counter {
  virtual ~Counter() = default;
  virtual double count() { return ++calls; }
  double calls = 0;
};
struct Counting : Counter, Function {
  double operator()(double x) const override {
    return x * const_cast<Counting *>(this)->count();
  }
};

CHECK_NOINLINE static std::unique_ptr<Function> make(int kind,
                                                     double parameter) {
  switch (kind) {
  case 0:
    return std::make_unique<Scale>(parameter);
  case 1:
    return std::make_unique<Wave>(parameter * parameter);
  default:
    return std::make_unique<Counting>();
  }
}
CHECK_NOINLINE static double run(const int *kinds, int n, double x, double p) {
  std::vector<std::unique_ptr<Function>> functions;
  for (int i = 0; i < n; ++i)
    functions.push_back(make(kinds[i], p - 0.1 * i));
  for (int round = 0; round < 2; ++round)
    for (const auto &function : functions)
      x = (*function)(x);
  return x;
}

struct Two {
  double x, y;
};
extern "C" Two __verso_grad_two(void *, ...);
static const int kinds[] = {0, 2, 1, 0, 1};

int main() {
  double in[] = {0.7, 0.9};
  Two g = __verso_grad_two((void *)run, verso_const, kinds, 5, in[0], in[1]);
  double gradient[] = {g.x, g.y};
  CHECK_GRADIENT([](double *v) { return run(kinds, 5, v[0], v[1]); }, 2, in,
                 gradient, 1e-6);
  return check_status();
}
