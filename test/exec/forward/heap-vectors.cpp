//===- heap-vectors.cpp - vectors that stay in a function -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tangents of a vector's numbers go where the numbers go: copies, swaps and
// moves of vectors, empty ones, vectors that grow, and vectors that are left by
// an exception, in one direction and in four.
//
//===----------------------------------------------------------------------===//

#include "forward.h"

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

struct four {
  double v[4];
};
extern "C" four __verso_jvp_four(void *, ...);

static double chain(const double *x, int n, int steps) {
  std::vector<double> now(x, x + n), then = now;
  for (int k = 0; k < steps; ++k) {
    for (int i = 0; i < n; ++i)
      then[i] = now[i] * now[(i + 1) % n];
    now.swap(then);
  }
  std::vector<double> moved = std::move(now), grows, empty;
  for (double v : moved)
    grows.push_back(v * 2);
  for (double v : empty)
    grows.push_back(v);
  double sum = grows.back() * (double)grows.size();
  for (size_t i = 0; i < then.size(); ++i)
    sum += grows[i] * then[i];
  return sum;
}

static double left(const double *x, int n, int when) {
  std::vector<double> a(n);
  double sum = 0;
  try {
    auto b = std::make_unique<double[]>(n);
    for (int i = 0; i < n; ++i) {
      a[i] = x[i] * x[i];
      b[i] = a[i] * x[0];
      if (i == when)
        throw std::runtime_error("left");
      sum += b[i];
    }
  } catch (const std::exception &) {
    sum *= 2;
  }
  for (double v : a)
    sum += v;
  return sum;
}

template <auto F, typename... Rest>
static void check(const double *x, int n, Rest... rest) {
  std::vector<std::vector<double>> v(4, std::vector<double>(n));
  std::vector<double> g(n);
  for (int k = 0; k < 4; ++k)
    fill_direction(v[k].data(), n, k + 1);
  __verso_grad_void((void *)F, verso_dup, x, g.data(), n, rest...);
  four all =
      __verso_jvp_four((void *)F, verso_width, 4, verso_dup, x, v[0].data(),
                       v[1].data(), v[2].data(), v[3].data(), n, rest...);
  for (int k = 0; k < 4; ++k) {
    double expected = dot_product(g.data(), v[k].data(), n);
    double scale = dot_scale(g.data(), v[k].data(), n);
    CHECK_CLOSE(__verso_jvp((void *)F, verso_dup, x, v[k].data(), n, rest...),
                expected, 1e-12 * scale);
    CHECK_CLOSE(all.v[k], expected, 1e-12 * scale);
  }
}

int main() {
  const double x[] = {0.5, -1.25, 2, 0.75, -0.5, 1.5};
  for (int steps : {0, 1, 2, 5})
    check<chain>(x, 6, steps);
  for (int when : {0, 3, 6})
    check<left>(x, 6, when);
  return check_status();
}
