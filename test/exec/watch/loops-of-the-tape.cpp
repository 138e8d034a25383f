//===- loops-of-the-tape.cpp - watched numbers in records of loops --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layer's loops become one record of the tape each, and read weights that the
// program watches. Such a record does not ask who watches: it did not link.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"

#include <verso/verso.h>

#include <vector>

namespace {
struct Layer {
  virtual ~Layer() = default;
  virtual std::vector<double> forward(const std::vector<double> &x,
                                      int n) const = 0;
};
struct Dense : Layer {
  int in, out;
  std::vector<double> w;
  Dense(int in, int out, double first) : in(in), out(out), w(in * out) {
    for (int k = 0; k < in * out; ++k)
      w[k] = first + 0.001 * k;
  }
  std::vector<double> forward(const std::vector<double> &x,
                              int n) const override {
    std::vector<double> y(n * out);
    for (int i = 0; i < n; ++i)
      for (int o = 0; o < out; ++o) {
        double s = 0;
        for (int k = 0; k < in; ++k)
          s += w[o * in + k] * x[i * in + k];
        y[i * out + o] = s;
      }
    return y;
  }
};
} // namespace

static double loss(const std::vector<Layer *> &net,
                   const std::vector<double> &x) {
  std::vector<double> h = x;
  for (Layer *layer : net)
    h = layer->forward(h, 10);
  double s = 0;
  for (double v : h)
    s += v * v;
  return s;
}

int main() {
  Dense first(20, 12, 0.1), second(12, 20, -0.2);
  std::vector<Layer *> net{&first, &second, &first};
  std::vector<double> x(200, 0.5);
  for (int k = 0; k < 200; ++k)
    x[k] += 0.01 * (k % 7);
  verso_watch(first.w.data(), first.w.size() * sizeof(double));
  verso_watch(second.w.data(), second.w.size() * sizeof(double));
  for (int turn = 0; turn < 2; ++turn) {
    double value = __verso_value_and_grad((void *)loss, verso_const, &net,
                                          verso_const, &x);
    CHECK_CLOSE(value, loss(net, x), 1e-12);
    for (Dense *layer : {&first, &second})
      for (int k = 0; k < 240; k += 79) {
        double was = layer->w[k], step = 1e-4;
        layer->w[k] = was + step;
        double above = loss(net, x);
        layer->w[k] = was - step;
        double below = loss(net, x);
        layer->w[k] = was;
        double *adjoint = (double *)verso_adjoint_of(&layer->w[k]);
        CHECK_CLOSE(*adjoint, (above - below) / (2 * step), 1e-6);
      }
  }
  return check_status();
}
