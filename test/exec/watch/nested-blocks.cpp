//===- nested-blocks.cpp - blocks of layers, and layers that keep copies --===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layers that keep what they were given and what they returned, in vectors of
// their own; blocks that are layers and contain layers: sequences, sums with
// what came in. Twice in one another a block is more than was guessed, and
// taped. Weights are watched; gradients of every third one against differences,
// in several requests: nothing of one is in the next.
//
// LEVELS: O0 O2g
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <cmath>
#include <memory>
#include <vector>

extern "C" void verso_watch(void *, size_t);
extern "C" void *verso_adjoint_of(const void *);

using Vector = std::vector<double>;

struct Layer {
  virtual ~Layer() = default;
  virtual Vector forward(const Vector &x) = 0;
};

struct Dense : Layer {
  Vector w, b, given;
  explicit Dense(size_t n, double scale) : w(n * n), b(n) {
    for (size_t i = 0; i < w.size(); ++i)
      w[i] = scale * std::sin(1.0 + 3.0 * double(i));
    for (size_t i = 0; i < n; ++i)
      b[i] = 0.1 * double(i);
    verso_watch(w.data(), w.size() * sizeof(double));
  }
  Vector forward(const Vector &x) override {
    given = x;
    Vector y(b);
    for (size_t i = 0; i < y.size(); ++i)
      for (size_t j = 0; j < x.size(); ++j)
        y[i] += w[i * x.size() + j] * given[j];
    return y;
  }
};

struct Tanh : Layer {
  Vector returned;
  Vector forward(const Vector &x) override {
    Vector y(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      y[i] = std::tanh(x[i]);
    returned = y;
    return y;
  }
};

using Layers = std::vector<std::unique_ptr<Layer>>;

struct Sequence : Layer {
  Layers layers;
  Vector forward(const Vector &x) override {
    Vector h = x;
    for (auto &layer : layers)
      h = layer->forward(h);
    return h;
  }
};

struct Residual : Layer {
  Layers layers;
  Vector given;
  Vector forward(const Vector &x) override {
    given = x;
    Vector h = x;
    for (auto &layer : layers)
      h = layer->forward(h);
    for (size_t i = 0; i < h.size(); ++i)
      h[i] += given[i];
    return h;
  }
};

struct Net {
  Layers layers;
  Dense *watched[6];
};

CHECK_NOINLINE static double loss(Net *net, const Vector *x, double target) {
  Vector h = *x;
  for (auto &layer : net->layers)
    h = layer->forward(h);
  double sum = 0;
  for (double v : h)
    sum += (v - target) * (v - target);
  return sum;
}

static void check(Net &net, const Vector &x) {
  for (int request = 0; request < 3; ++request) {
    double target = 0.3 * request, h = 1e-5;
    double with = loss(&net, &x, target + h),
           without = loss(&net, &x, target - h);
    CHECK_CLOSE(__verso_grad((void *)loss, verso_const, &net, verso_const, &x,
                             verso_out, target),
                (with - without) / (2 * h), 1e-8);
    for (Dense *dense : net.watched)
      for (size_t i = 0; i < dense->w.size(); i += 3) {
        double &w = dense->w[i], old = w;
        auto at = [&](double to) {
          w = to;
          double result = loss(&net, &x, target);
          w = old;
          return result;
        };
        double wide = (at(old + 2 * h) - at(old - 2 * h)) / (4 * h);
        double narrow = (at(old + h) - at(old - h)) / (2 * h);
        CHECK_CLOSE(*(double *)verso_adjoint_of(&w), (4 * narrow - wide) / 3,
                    1e-7);
      }
  }
}

int main() {
  const size_t n = 4;
  Net net;
  auto dense = [&, count = 0](Layers &to) mutable {
    auto made = std::make_unique<Dense>(n, 0.6 + 0.05 * count);
    net.watched[count++] = made.get();
    to.push_back(std::move(made));
    to.push_back(std::make_unique<Tanh>());
  };
  dense(net.layers);
  auto residual = std::make_unique<Residual>();
  dense(residual->layers);
  auto inner = std::make_unique<Sequence>();
  dense(inner->layers);
  residual->layers.push_back(std::move(inner));
  auto sequence = std::make_unique<Sequence>();
  dense(sequence->layers);
  auto second = std::make_unique<Residual>();
  dense(second->layers);
  sequence->layers.push_back(std::move(second));
  net.layers.push_back(std::move(residual));
  auto &blocks = sequence->layers;
  net.layers.push_back(std::move(sequence));
  dense(net.layers);
  const Vector x{0.3, -0.4, 0.9, 0.2};
  check(net, x);
  // A sequence in a residual block in a sequence.
  auto deep = std::make_unique<Sequence>();
  deep->layers.push_back(std::make_unique<Tanh>());
  static_cast<Residual &>(*blocks.back()).layers.push_back(std::move(deep));
  check(net, x);
  return check_status();
}
