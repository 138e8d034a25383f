//===- layers-of-the-caller.cpp - virtual calls behind local memory -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which virtual functions the caller's objects have is asked before a gradient
// begins (Survey.h). On the way vectors are made, whose lengths may be too
// long, and a layer may throw: what only the run knows decides nothing then.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <cmath>
#include <memory>
#include <set>
#include <stdexcept>
#include <vector>

using Numbers = std::vector<double>;

namespace {
struct Layer {
  virtual ~Layer() = default;
  virtual Numbers forward(const Numbers &x) const = 0;
};
struct Dense : Layer {
  int in, out;
  Numbers w;
  Dense(int in, int out, double scale) : in(in), out(out), w(in * out) {
    for (int k = 0; k < in * out; ++k)
      w[k] = scale * std::sin(1.0 + k);
  }
  Numbers forward(const Numbers &x) const override {
    if (int(x.size()) != in)
      throw std::invalid_argument("size");
    Numbers y(out);
    for (int i = 0; i < out; ++i)
      for (int j = 0; j < in; ++j)
        y[i] += w[i * in + j] * x[j];
    return y;
  }
};
struct Squash : Layer {
  Numbers forward(const Numbers &x) const override {
    Numbers y = x;
    for (double &v : y)
      v = std::tanh(v);
    return y;
  }
};
struct Doubled : Layer {
  Numbers forward(const Numbers &x) const override {
    Numbers y;
    for (double v : x) {
      y.push_back(v);
      y.push_back(v * v);
    }
    return y;
  }
};
struct Net {
  std::vector<std::unique_ptr<Layer>> layers;
};
} // namespace

CHECK_NOINLINE static double loss(const Net *net, const double *x, int n) {
  Numbers h(x, x + n);
  for (auto &layer : net->layers)
    h = layer->forward(h);
  double sum = 0;
  for (double v : h)
    sum += v * v;
  return sum;
}

static Net make(double scale) {
  Net net;
  net.layers.push_back(std::make_unique<Dense>(3, 4, scale));
  net.layers.push_back(std::make_unique<Squash>());
  net.layers.push_back(std::make_unique<Doubled>());
  net.layers.push_back(std::make_unique<Dense>(8, 2, 2 * scale));
  return net;
}

static void gradients(void) {
  Net net = make(0.7), adjoint = make(0);
  double x[4] = {0.5, -0.3, 0.8, 1}, dx[4] = {0, 0, 0, 0};
  for (int turn = 0; turn < 2; ++turn) {
    __verso_grad_void((void *)loss, verso_dup, &net, &adjoint, verso_dup, x, dx,
                      verso_const, 3);
    for (int layer : {0, 3}) {
      auto &w = static_cast<Dense *>(net.layers[layer].get())->w;
      auto &dw = static_cast<Dense *>(adjoint.layers[layer].get())->w;
      for (size_t k = 0; k < w.size(); k += 5) {
        double was = w[k], slope[3], step = 1e-3;
        for (double &s : slope) {
          w[k] = was + step;
          double above = loss(&net, x, 3);
          w[k] = was - step;
          s = (above - loss(&net, x, 3)) / (2 * step);
          w[k] = was;
          step *= 2;
        }
        CHECK_CLOSE(
            dw[k], (turn + 1) * check_extrapolate(slope[0], slope[1], slope[2]),
            1e-8);
      }
    }
  }
  CHECK(dx[0] != 0 && dx[2] != 0);
}

/// A wrong size is found by the second layer, behind what a survey asks.
static void throwing(void) {
  Net net = make(0.7), adjoint = make(0);
  double x[4] = {0.5, -0.3, 0.8, 1}, dx[4] = {0, 0, 0, 0};
  bool caught = false;
  try {
    __verso_grad_void((void *)loss, verso_dup, &net, &adjoint, verso_dup, x, dx,
                      verso_const, 4);
  } catch (const std::invalid_argument &) {
    caught = true;
  }
  CHECK(caught);
}

//===----------------------------------------------------------------------===//
// A guard that reads the caller's memory and the function's own
//===----------------------------------------------------------------------===//

namespace {
struct Rows {
  int inputs = 0, count = 2;
  const Layer *const *layers = nullptr;
};
} // namespace

CHECK_NOINLINE static double rows(const Rows *net, const double *x, int n) {
  Numbers h;
  for (int k = 0; k < n; ++k)
    h.push_back(x[k]);
  if (int(h.size()) != net->inputs)
    throw std::invalid_argument("size");
  for (int k = 0; k < net->count; ++k)
    h = net->layers[k]->forward(h);
  double sum = 0;
  for (double v : h)
    sum += v;
  return sum;
}

static void guarded(void) {
  Squash squash;
  Doubled doubled;
  const Layer *layers[2] = {&doubled, &doubled};
  Rows net, empty;
  net.inputs = 2;
  net.layers = layers;
  double x[3] = {0.5, -0.3, 1};
  for (const Layer *second :
       {(const Layer *)&doubled, (const Layer *)&squash}) {
    double dx[3] = {0, 0, 0};
    layers[1] = second;
    __verso_grad_void((void *)rows, verso_const, &net, verso_dup, x, dx,
                      verso_const, 2);
    for (int k = 0; k < 2; ++k) {
      double was = x[k], step = 1e-5;
      x[k] = was + step;
      double above = rows(&net, x, 2);
      x[k] = was - step;
      CHECK_CLOSE(dx[k], (above - rows(&net, x, 2)) / (2 * step), 1e-8);
      x[k] = was;
    }
  }
  bool caught = false;
  double dx[3] = {0, 0, 0};
  try {
    __verso_grad_void((void *)rows, verso_const, &empty, verso_dup, x, dx,
                      verso_const, 2);
  } catch (const std::invalid_argument &) {
    caught = true;
  }
  CHECK(caught);
}

//===----------------------------------------------------------------------===//
// What ends a loop may be what only the run knows
//===----------------------------------------------------------------------===//

namespace {
struct Node {
  double v;
  Node *next;
  virtual ~Node() = default;
  virtual double of(double x) const { return v * x; }
};
struct Squared : Node {
  double of(double x) const override { return v * x * x; }
};
} // namespace

CHECK_NOINLINE static double sum(const Node *n, double x) {
  std::set<const Node *> seen;
  double s = 0;
  for (; n; n = n->next) {
    if (!seen.insert(n).second)
      throw std::runtime_error("a node comes twice");
    s += n->of(x);
  }
  return s;
}

static void lists(void) {
  Node a;
  Squared b;
  a.v = 2;
  b.v = 3;
  a.next = &b;
  b.next = nullptr;
  CHECK_CLOSE(__verso_grad((void *)sum, verso_const, &a, 1.5), 2 + 9, 1e-14);
  b.next = &a;
  bool caught = false;
  try {
    __verso_grad((void *)sum, verso_const, &a, 1.5);
  } catch (const std::runtime_error &) {
    caught = true;
  }
  CHECK(caught);
}

int main() {
  lists();
  guarded();
  gradients();
  throwing();
  gradients();
  return check_status();
}
