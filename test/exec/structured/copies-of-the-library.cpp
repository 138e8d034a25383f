//===- copies-of-the-library.cpp - vectors that are assigned --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors of numbers that are copied, assigned, kept by layers and handed by
// value: the library moves bytes, of which its function's name says that they
// are numbers. Of a model of virtual layers with a shadow, and of a local
// vector that was copied from one that is constant; and vectors that grow,
// shrink and are rotated. Closed forms.
//
// LEVELS: O0 O2g
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <algorithm>
#include <memory>
#include <vector>

using Vector = std::vector<double>;

struct Layer {
  virtual ~Layer() = default;
  virtual Vector forward(const Vector &x) = 0;
};
struct Scale : Layer {
  Vector w, given;
  explicit Scale(const Vector &w) : w(w), given(w.size()) {}
  Vector forward(const Vector &x) override {
    given = x;
    Vector y = x;
    for (size_t i = 0; i < y.size(); ++i)
      y[i] = given[i] * w[i];
    return y;
  }
};
struct Shift : Layer {
  Vector w;
  explicit Shift(const Vector &w) : w(w) {}
  Vector forward(const Vector &x) override {
    Vector y = w;
    for (size_t i = 0; i < y.size(); ++i)
      y[i] += x[i];
    return y;
  }
};
struct Net {
  std::vector<std::unique_ptr<Layer>> layers;
  Net(const Vector &scale, const Vector &shift) {
    layers.push_back(std::make_unique<Scale>(scale));
    layers.push_back(std::make_unique<Shift>(shift));
  }
  Vector &scale() { return static_cast<Scale &>(*layers[0]).w; }
  Vector &shift() { return static_cast<Shift &>(*layers[1]).w; }
};

// sum (w x + b)^2
CHECK_NOINLINE static double loss(Net *net, const Vector *x) {
  Vector h = *x;
  for (auto &layer : net->layers)
    h = layer->forward(h);
  double sum = 0;
  for (double v : h)
    sum += v * v;
  return sum;
}

static void checkNet() {
  Net net({1, 2, 3}, {4, 5, 6}), shadow({0, 0, 0}, {0, 0, 0});
  const Vector x{0.5, 0.25, 2};
  for (int request = 1; request < 3; ++request) {
    __verso_grad_void((void *)loss, verso_dup, &net, &shadow, verso_const, &x);
    for (size_t i = 0; i < 3; ++i) {
      double value = 2 * request * (double(i + 1) * x[i] + double(i + 4));
      CHECK_EQUAL(shadow.shift()[i], value);
      CHECK_EQUAL(shadow.scale()[i], value * x[i]);
    }
  }
}

static double norm(Vector v, double scale) {
  double sum = 0;
  for (double each : v)
    sum += scale * each * each;
  v[0] = 0; // Its own.
  return sum;
}

CHECK_NOINLINE static double residual(const double *t, const Vector *y) {
  Vector r(*y);
  for (double &v : r)
    v -= t[0];
  return norm(r, t[1]) + r[0];
}

// The least of three is kept, after some exercise.
CHECK_NOINLINE static double exercised(const double *x, int n) {
  Vector v;
  for (int i = 0; i < n; ++i)
    v.push_back(x[i % 3] * (i + 1));
  v.insert(v.begin() + 1, x, x + 2);
  v.erase(v.begin());
  std::rotate(v.begin(), v.begin() + 2, v.end());
  Vector w(v.begin() + 1, v.end());
  std::copy_backward(w.begin(), w.end() - 1, w.end());
  w.resize(2);
  v.swap(w);
  return v[0] * v[1] * w[0];
}

double y[3] = {5, 7, 11}, x[3] = {2, 3, 0.5};

int main() {
  checkNet();

  const Vector data(y, y + 3);
  double t[2] = {2, 0.5}, dt[2] = {0, 0};
  __verso_grad_void((void *)residual, verso_dup, t, dt, verso_const, &data);
  CHECK_EQUAL(dt[0], -2 * 0.5 * (3 + 5 + 9) - 1);
  CHECK_EQUAL(dt[1], 9 + 25 + 81);

  // v = x0, 2 x1, 3 x2, 4 x0; then x0, x0, x1, 2 x1, 3 x2, 4 x0 without the
  // first, rotated: 2 x1, 3 x2, 4 x0, x0, x1. w = 3 x2, 4 x0, x0, x1, moved up
  // by one: 3 x2, 3 x2.
  double dx[3] = {0};
  CHECK_EQUAL(exercised(x, 4), 9 * x[2] * x[2] * 2 * x[1]);
  __verso_grad_void((void *)exercised, verso_dup, x, dx, 4);
  CHECK_EQUAL(dx[0], 0);
  CHECK_EQUAL(dx[1], 9 * x[2] * x[2] * 2);
  CHECK_EQUAL(dx[2], 18 * x[2] * 2 * x[1]);
  return check_status();
}
