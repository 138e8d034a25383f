//===- networks.cpp - watched weights behind virtual layers ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Networks as people write them: layers of several classes, whose weights are
// watched; a recurrent cell that keeps its state in the object, where the
// request replaces it, also by blocks of its own; a list whose nodes have
// vectors. Gradients of every third weight against differences, twice: nothing
// of the first request is in the second.
//
// LEVELS: O0 O1 O2g O3
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <cmath>
#include <memory>
#include <vector>

extern "C" void verso_watch(void *, size_t);
extern "C" void *verso_adjoint_of(const void *);

using Vector = std::vector<double>;

static void fill(Vector &v, double scale) {
  for (size_t i = 0; i < v.size(); ++i)
    v[i] = scale * std::sin(1.0 + 3.0 * double(i));
}
static void watch(Vector &v) { verso_watch(v.data(), v.size() * sizeof(double)); }

struct Layer {
  virtual ~Layer() = default;
  virtual void forward(const Vector &x, Vector &y) const = 0;
};
struct Dense : Layer {
  int in, out;
  Vector w, b;
  Dense(int in, int out) : in(in), out(out), w(size_t(in * out)), b(size_t(out)) {
    fill(w, 0.7);
    fill(b, 0.2);
  }
  void forward(const Vector &x, Vector &y) const override {
    y.resize(size_t(out));
    for (int o = 0; o < out; ++o) {
      double s = b[size_t(o)];
      for (int i = 0; i < in; ++i)
        s += w[size_t(o * in + i)] * x[size_t(i)];
      y[size_t(o)] = s;
    }
  }
};
struct Tanh : Layer {
  void forward(const Vector &x, Vector &y) const override {
    y.resize(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      y[i] = std::tanh(x[i]);
  }
};
struct Net {
  std::vector<std::unique_ptr<Layer>> layers;
};
CHECK_NOINLINE static double loss(const Net *net, const double *x, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    Vector h(x + 3 * k, x + 3 * k + 3), g;
    for (auto &layer : net->layers) {
      layer->forward(h, g);
      std::swap(h, g);
    }
    sum += h[0] * h[0];
  }
  return sum;
}

struct Cell {
  Vector wx, wh, state;
  double bias;
};
CHECK_NOINLINE static double unrolled(Cell *c, const double *x, int n) {
  c->state.assign(c->wx.size(), 0.1); // Perhaps a block of the request's own.
  double sum = 0;
  for (int t = 0; t < n; ++t) {
    Vector next(c->wx.size());
    for (size_t i = 0; i < next.size(); ++i) {
      double s = c->wx[i] * x[t] + c->bias;
      for (size_t j = 0; j < next.size(); ++j)
        s += c->wh[i * next.size() + j] * c->state[j];
      next[i] = std::tanh(s);
    }
    c->state = next;
    sum += c->state[0] * c->state[1];
  }
  return sum;
}

struct Node {
  Vector w;
  double scale;
  Node *next;
};
CHECK_NOINLINE static double along(const Node *node, double x) {
  double sum = 0;
  for (; node; node = node->next) {
    double s = node->scale;
    for (double each : node->w)
      s += each * x * each;
    sum += std::sin(s);
  }
  return sum;
}

template <class F> static void check(Vector &w, F f) {
  for (size_t i = 0; i < w.size(); i += 3) {
    const double h = 1e-5, old = w[i];
    auto at = [&](double to) {
      w[i] = to;
      double result = f();
      w[i] = old;
      return result;
    };
    double wide = (at(old + 2 * h) - at(old - 2 * h)) / (4 * h);
    double narrow = (at(old + h) - at(old - h)) / (2 * h);
    CHECK_CLOSE(*(double *)verso_adjoint_of(&w[i]), (4 * narrow - wide) / 3, 1e-7);
  }
}

double x[12] = {0.3, -0.2, 0.9, 1.1, 0.4, -0.7, 0.25, 0.5, -1.2, 0.6, 0.8, -0.1};

int main() {
  Net net;
  net.layers.emplace_back(new Dense(3, 4));
  net.layers.emplace_back(new Tanh);
  net.layers.emplace_back(new Dense(4, 4));
  net.layers.emplace_back(new Tanh);
  net.layers.emplace_back(new Dense(4, 1));
  for (auto &layer : net.layers)
    if (auto *dense = dynamic_cast<Dense *>(layer.get())) {
      watch(dense->w);
      watch(dense->b);
    }
  for (int pass = 0; pass < 2; ++pass) {
    __verso_grad_void((void *)loss, verso_const, &net, verso_const, x, 4);
    for (auto &layer : net.layers)
      if (auto *dense = dynamic_cast<Dense *>(layer.get())) {
        check(dense->w, [&] { return loss(&net, x, 4); });
        check(dense->b, [&] { return loss(&net, x, 4); });
      }
  }

  Cell cell{Vector(3), Vector(9), {}, 0.15};
  fill(cell.wx, 0.5);
  fill(cell.wh, 0.6);
  watch(cell.wx);
  watch(cell.wh);
  for (int pass = 0; pass < 2; ++pass) {
    __verso_grad_void((void *)unrolled, verso_const, &cell, verso_const, x, 7);
    check(cell.wh, [&] { return unrolled(&cell, x, 7); });
    check(cell.wx, [&] { return unrolled(&cell, x, 7); });
  }

  Node last{Vector(5), 0.4, nullptr}, first{Vector(4), 0.3, &last};
  fill(last.w, 1);
  fill(first.w, 2);
  watch(last.w);
  watch(first.w);
  for (int pass = 0; pass < 2; ++pass) {
    __verso_grad((void *)along, verso_const, &first, 0.7);
    check(last.w, [&] { return along(&first, 0.7); });
    check(first.w, [&] { return along(&first, 0.7); });
  }
  return check_status();
}
