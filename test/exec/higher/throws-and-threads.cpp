//===- throws-and-threads.cpp - what is left behind, and by whom ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Hessian-vector product that an exception leaves in the middle, from within
// the inner gradient, leaves nothing of its tangents to the next ones, in the
// arena or elsewhere; products in a loop of one differentiated function use the
// same memory again; threads do not see each other's. The C++ interface gives
// the same numbers, in many directions at once and to the third order.
//
// REQUIRES: unsanitized
// LIBS: -pthread
//
// HEAVY: tapes of tapes
//
//===----------------------------------------------------------------------===//

#include "../forward/forward.h"
#include "verso/verso.hpp"

#include <atomic>
#include <stdexcept>
#include <thread>

using Vector = std::vector<double>;

/// Throws in the iteration \p stop.
static double energy(const double *x, int n, int stop) {
  double sum = 0, last = 1;
  for (int i = 0; i < n; ++i) {
    if (i == stop)
      throw std::runtime_error("stop");
    std::vector<double> work(x, x + i + 1);
    for (double &w : work)
      w = std::sin(w * last) / (1 + w * w);
    for (double w : work)
      last = 0.5 * last + w * x[i];
    sum += last * last;
  }
  return sum;
}
static void gradient(const double *x, double *g, int n, int stop) {
  for (int i = 0; i < n; ++i)
    g[i] = 0;
  __verso_grad_void((void *)energy, verso_dup, x, g, verso_const, n,
                    verso_const, stop);
}
/// By forward mode alone.
static double slope(const double *x, const double *v, int n) {
  return __verso_jvp((void *)energy, verso_dup, x, v, verso_const, n,
                     verso_const, -1);
}

enum { N = 12 };

/// A function that steps along its own gradient: an inner request in a loop.
static double descent(const double *start, int n) {
  double x[N], g[N];
  for (int i = 0; i < n; ++i)
    x[i] = start[i];
  for (int step = 0; step < 4; ++step) {
    gradient(x, g, n - step, -1);
    for (int i = 0; i < n - step; ++i)
      x[i] -= 0.05 * g[i] * x[(i + 1) % n];
  }
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i];
  return sum;
}

static std::atomic<int> wrong;
static void run(int id) {
  double x[N], v[N], w[N], expected = 0;
  fill_direction(x, N, id + 1);
  fill_direction(v, N, id + 20);
  fill_direction(w, N, id + 40);
  for (int i = 0; i < 60; ++i) {
    double g[N] = {}, h[N] = {}, k[N] = {};
    bool thrown = false;
    if (i % 3 == 1)
      try {
        __verso_jvp_void((void *)gradient, verso_dup, x, v, verso_dup, g, h,
                         verso_const, (int)N, verso_const, 2 + i % 9);
      } catch (const std::exception &) {
        thrown = true;
      }
    wrong += thrown != (i % 3 == 1);
    // <w, H v> = <v, H w>, in the same order of magnitude as before.
    std::fill(g, g + N, 7);
    __verso_jvp_void((void *)gradient, verso_dup, x, v, verso_dup, g, h,
                     verso_const, (int)N, verso_const, -1);
    __verso_jvp_void((void *)gradient, verso_dup, x, w, verso_dup, g, k,
                     verso_const, (int)N, verso_const, -1);
    double a = dot_product(w, h, N), b = dot_product(v, k, N);
    wrong += !(std::fabs(a - b) <= 1e-10 * (1 + std::fabs(a)));
    if (i)
      wrong += a != expected;
    expected = a;
    // The gradient beside it is the gradient.
    double e[N] = {};
    gradient(x, e, N, -1);
    double size = 0;
    for (int j = 0; j < N; ++j)
      size += std::fabs(e[j]);
    for (int j = 0; j < N; ++j)
      wrong += !(std::fabs(e[j] - g[j]) <= 1e-13 * size);
    wrong += !(std::fabs(slope(x, v, N) - dot_product(e, v, N)) <= 1e-11 * size);
  }
  double d[N] = {};
  __verso_grad_void((void *)descent, verso_dup, x, d, verso_const, (int)N);
  double t = __verso_jvp((void *)descent, verso_dup, x, v, verso_const, (int)N);
  double scale = 0;
  for (int i = 0; i < N; ++i)
    scale += std::fabs(d[i] * v[i]);
  wrong += !(std::fabs(t - dot_product(d, v, N)) <= 1e-11 * scale);
}

static double of_vector(const Vector &x) {
  return energy(x.data(), int(x.size()), -1);
}

int main() {
  run(0);
  CHECK(wrong == 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back(run, i);
  for (std::thread &t : threads)
    t.join();
  CHECK(wrong == 0);

  Vector x, v;
  for (int i = 0; i < 9; ++i) {
    x.push_back(0.2 * i - 0.7);
    v.push_back(i % 4 - 1.25);
  }
  auto h = verso::hessian(verso::fn<of_vector>)(x);
  Vector hv = verso::hvp(verso::fn<of_vector>, x, v);
  auto rows = verso::jacrev(verso::grad(verso::fn<of_vector>))(x);
  double size = 0;
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 9; ++j)
      size += std::fabs(h(i, j));
  for (int i = 0; i < 9; ++i) {
    double sum = 0;
    for (int j = 0; j < 9; ++j) {
      sum += h(i, j) * v[j];
      CHECK_CLOSE(h(i, j) / size, h(j, i) / size, 1e-12);
      CHECK_CLOSE(h(i, j) / size, rows(i, j) / size, 1e-12);
    }
    CHECK_CLOSE(hv[i] / size, sum / size, 1e-12);
  }
  auto cube = [](double t) { return t * t * t * std::sqrt(t); };
  auto third = verso::grad(verso::grad(verso::grad(cube)));
  CHECK_CLOSE(third(2), 3.5 * 2.5 * 1.5 * std::sqrt(2), 1e-13);
  return check_status();
}
