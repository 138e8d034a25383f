//===- functions-in-arrays.cpp - closures of several kinds in an array ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The buffer of a std::function holds a pointer to numbers or to a function;
// what is called there is a function, and LLVM copies either as an integer.
//
// STRATEGY: structured
// LEVELS: O2g O3
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <cmath>
#include <functional>
#include <vector>

using Numbers = std::vector<double>;
using Layer = std::function<Numbers(const Numbers &)>;

static Layer linear(const double *w, int in, int out) {
  return [=](const Numbers &x) {
    Numbers y(out);
    for (int i = 0; i < out; ++i) {
      double s = w[in * out + i];
      for (int j = 0; j < in; ++j)
        s += w[i * in + j] * x[j];
      y[i] = s;
    }
    return y;
  };
}

static Layer activation(double (*f)(double)) {
  return [f](const Numbers &x) {
    Numbers y(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      y[i] = f(x[i]);
    return y;
  };
}

static double rectify(double x) { return x > 0 ? x : 0.1 * x; }
static double squash(double x) { return std::tanh(x); }

static double loss(double *p) {
  std::vector<Layer> layers;
  layers.push_back(linear(p, 3, 4));
  layers.push_back(activation(squash));
  layers.push_back(linear(p + 16, 4, 4));
  layers.push_back(activation(rectify));
  layers.push_back(linear(p + 36, 4, 2));
  double sum = 0;
  for (int b = 0; b < 3; ++b) {
    Numbers h{0.5 + b, -0.3, 0.2 * b};
    for (Layer &layer : layers)
      h = layer(h);
    sum += h[0] * h[0] + std::exp(h[1]);
  }
  return sum;
}

int main() {
  double p[46], dp[46] = {0};
  for (int k = 0; k < 46; ++k)
    p[k] = 0.4 * std::sin(1.0 + k);
  __verso_grad_void((void *)loss, p, dp);
  CHECK_GRADIENT(loss, 46, p, dp, 1e-8);
  return check_status();
}
