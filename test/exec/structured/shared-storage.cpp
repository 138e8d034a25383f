//===- shared-storage.cpp - arrays and layers that are shared -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices whose elements are in a shared_ptr, and layers of two classes in
// shared_ptrs: where an array that was empty is released, calls through the
// tables of control blocks are left that nobody comes to, several in a block.
//
// STRATEGY: structured
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <cmath>
#include <memory>
#include <vector>

class Matrix {
  std::shared_ptr<std::vector<double>> elements;

public:
  int rows = 0, columns = 0;
  Matrix() = default;
  Matrix(int rows, int columns)
      : elements(std::make_shared<std::vector<double>>(rows * columns)),
        rows(rows), columns(columns) {}
  double &operator()(int i, int j) { return (*elements)[i * columns + j]; }
  double operator()(int i, int j) const { return (*elements)[i * columns + j]; }
};

struct Layer {
  virtual ~Layer() = default;
  virtual Matrix apply(const Matrix &in) const = 0;
};
struct Dense : Layer {
  Matrix weights, bias;
  Dense(int in, int out, const double *&p) : weights(out, in), bias(out, 1) {
    for (int i = 0; i < out; ++i) {
      for (int j = 0; j < in; ++j)
        weights(i, j) = *p++;
      bias(i, 0) = *p++;
    }
  }
  Matrix apply(const Matrix &in) const override {
    Matrix out(weights.rows, in.columns);
    for (int i = 0; i < out.rows; ++i)
      for (int j = 0; j < out.columns; ++j) {
        double s = bias(i, 0);
        for (int k = 0; k < weights.columns; ++k)
          s += weights(i, k) * in(k, j);
        out(i, j) = s;
      }
    return out;
  }
};
struct Tanh : Layer {
  Matrix apply(const Matrix &in) const override {
    Matrix out(in.rows, in.columns);
    for (int i = 0; i < in.rows; ++i)
      for (int j = 0; j < in.columns; ++j)
        out(i, j) = std::tanh(in(i, j));
    return out;
  }
};

static constexpr int N = 3 * 4 + 4 * 2 + 2;
CHECK_NOINLINE static double network(const double *x, int samples) {
  std::vector<std::shared_ptr<Layer>> layers;
  layers.push_back(std::make_shared<Dense>(2, 4, x));
  layers.push_back(std::make_shared<Tanh>());
  layers.push_back(std::make_shared<Dense>(4, 2, x));
  Matrix a(2, samples);
  for (int j = 0; j < samples; ++j) {
    a(0, j) = std::sin(j);
    a(1, j) = std::cos(j);
  }
  for (const auto &layer : layers)
    a = layer->apply(a);
  double loss = 0;
  for (int j = 0; j < samples; ++j)
    loss += a(0, j) * a(0, j) + a(1, j) * a(0, j);
  return loss;
}

static const double *at, *along;
static double onLine(double t) {
  double moved[N];
  for (int i = 0; i < N; ++i)
    moved[i] = at[i] + t * along[i];
  return network(moved, 5);
}

int main() {
  double x[N], gradient[N] = {0}, direction[N], dot = 0;
  for (int i = 0; i < N; ++i) {
    x[i] = 0.5 * std::sin(2.0 * i + 1);
    direction[i] = std::cos(3.0 * i);
  }
  __verso_grad((void *)network, verso_dup, x, gradient, 5);
  CHECK_GRADIENT([](double *v) { return network(v, 5); }, N, x, gradient, 1e-7);
  // The dot-product test, against differences in a direction.
  for (int i = 0; i < N; ++i)
    dot += gradient[i] * direction[i];
  at = x;
  along = direction;
  CHECK_CLOSE(dot, central_difference(onLine, 0), 1e-7);
  return check_status();
}
