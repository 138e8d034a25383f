//===- classes-of-targets.cpp - guesses go by class -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers and measures have a virtual function of the same type at the same
// place in their tables. A pointer to a layer leads to no measure, whose tables
// of names would not be structured. A layer that is a measure as well may be
// either.
//
//===----------------------------------------------------------------------===//
// RUN: %clangxx_verso -std=c++20 -O2 -Rpass=verso %s %verso_libs -o %t 2>&1 \
// RUN:   | FileCheck %s && %t
// RUN: %clangxx_verso -std=c++20 -O2 -DBOTH %s %verso_libs -o %t && %t
// RUN: %clangxx_verso -std=c++20 -O1 -DBOTH %s %verso_libs -o %t && %t
// CHECK: gradient of 'loss' by reversed control flow

#include "../exec/check.h"
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>
#include <verso/verso.h>

using Vec = std::vector<double>;

struct Layer {
  virtual ~Layer() = default;
  virtual Vec f(const Vec &x) const = 0;
};
struct Scale : Layer {
  Vec w{1, 2, 3};
  Vec f(const Vec &x) const override {
    Vec y(3);
    for (size_t i = 0; i < 3; ++i)
      y[i] = x[i] * w[i];
    return y;
  }
};
struct Shift : Layer {
  Vec w{.1, .2, .3};
  Vec f(const Vec &x) const override {
    Vec y(3);
    for (size_t i = 0; i < 3; ++i)
      y[i] = x[i] + w[i];
    return y;
  }
};
struct Measure {
  virtual ~Measure() = default;
  virtual Vec f(const Vec &x) const = 0;
};
struct Named : Measure {
  std::function<double(double)> g = [](double x) { return x * x; };
  std::map<std::string, double> factors{{"a", 2}};
  Vec f(const Vec &x) const override {
    Vec y(3);
    for (size_t i = 0; i < 3; ++i)
      y[i] = g(x[i]) * factors.at("a");
    return y;
  }
};
#ifdef BOTH
struct Both : Named, Layer {
  Vec f(const Vec &x) const override {
    Vec y(3);
    for (size_t i = 0; i < 3; ++i)
      y[i] = 3 * x[i] * x[i];
    return y;
  }
};
#endif
struct Net {
  std::vector<std::unique_ptr<Layer>> layers;
  std::unique_ptr<Measure> measure;
};

CHECK_NOINLINE static double loss(const Net *net, const Vec *x) {
  Vec h = *x;
  for (const auto &layer : net->layers)
    h = layer->f(h);
#ifdef BOTH
  h = net->measure->f(h);
#endif
  double sum = 0;
  for (double v : h)
    sum += v * v;
  return sum;
}

int main() {
  Net net;
  net.layers.push_back(std::make_unique<Scale>());
  net.layers.push_back(std::make_unique<Shift>());
  net.measure = std::make_unique<Named>();
#ifdef BOTH
  net.layers.push_back(std::make_unique<Both>());
#endif
  Vec x{1, 2, 3};
  Vec &w = static_cast<Scale &>(*net.layers[0]).w;
  verso_watch(w.data(), 3 * sizeof(double));
  __verso_grad_void((void *)loss, verso_const, &net, verso_const, &x);
  auto *d = static_cast<const double *>(verso_adjoint_of(w.data()));
  for (int i = 0; i < 3; ++i) {
    const double h = x[i] * w[i] + (i + 1) / 10.0;
#ifdef BOTH
    CHECK_CLOSE(d[i], 8 * 324 * h * h * h * h * h * h * h * x[i], 1e-12);
#else
    CHECK_CLOSE(d[i], 2 * h * x[i], 1e-12);
#endif
  }
  return check_status();
}
