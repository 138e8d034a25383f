//===- eigen-products.cpp - products of Eigen's while memory is watched ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A network of dense layers whose weights are watched: the blocks of a product
// are the function's own, its matrices are old ones, or such as old memory
// leads to. Requests in turn do not see each other's adjoints.
//
// REQUIRES: eigen
// FLAGS: -isystem /usr/include/eigen3
// HEAVY: Eigen
// LEVELS: O1
// UNCHECKED: memory is watched
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <Eigen/Dense>
#include <verso/verso.h>

using Eigen::MatrixXd;

enum { N = 12, Samples = 9 };

struct Layer {
  MatrixXd weights, given;
};
struct Net {
  Layer first, second;
};

/// Each layer keeps half of what it was given.
static MatrixXd apply(Layer &layer, const MatrixXd &x) {
  layer.given = 0.5 * x;
  return (layer.weights * layer.given).array().tanh().matrix();
}
CHECK_NOINLINE static double loss(Net *net, const MatrixXd *x) {
  MatrixXd h = apply(net->first, *x);
  h += apply(net->second, h);
  return (h.transpose() * h).squaredNorm();
}

int main() {
  Net net;
  for (Layer *layer : {&net.first, &net.second})
    layer->weights.resize(N, N);
  MatrixXd x(N, Samples);
  for (int i = 0; i < N * N; ++i) {
    net.first.weights.data()[i] = 0.02 * (i * 7 % 23) - 0.2;
    net.second.weights.data()[i] = 0.03 * (i * 5 % 19) - 0.25;
  }
  for (int i = 0; i < N * Samples; ++i)
    x.data()[i] = 0.1 * (i * 3 % 13) - 0.5;
  for (Layer *layer : {&net.first, &net.second})
    verso_watch(layer->weights.data(), N * N * sizeof(double));
  for (int round = 0; round < 3; ++round) {
    x *= 1.0 + 0.25 * round;
    __verso_grad_void((void *)loss, verso_const, &net, verso_const, &x);
    for (Layer *layer : {&net.first, &net.second}) {
      double *const w = layer->weights.data();
      auto *d = static_cast<const double *>(verso_adjoint_of(w));
      for (int i = 0; i < N * N; i += 5) {
        const double at = w[i], h = 1.0 / 512;
        auto difference = [&](double step) {
          w[i] = at + step;
          const double after = loss(&net, &x);
          w[i] = at - step;
          const double before = loss(&net, &x);
          w[i] = at;
          return (after - before) / (2 * step);
        };
        CHECK_CLOSE(d[i], (4 * difference(h / 2) - difference(h)) / 3, 1e-6);
      }
    }
  }
  return check_status();
}
