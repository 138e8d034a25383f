//===- counts.cpp - reference counts that threads may share ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Atomic counts beside numbers: who comes last, by the count, releases or adds
// up. What is released is used again by the next allocation.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <atomic>
#include <memory>
#include <vector>

struct Layer {
  Layer(double w, double b) : weights(3, w), bias(b) {}
  std::vector<double> weights;
  double bias;
};

/// Layers that share a first one; some are dropped on the way.
CHECK_NOINLINE static double layers(const double *x, int n) {
  std::vector<std::shared_ptr<Layer>> all;
  for (int i = 0; i < n; ++i) {
    all.push_back(std::make_shared<Layer>(x[i], x[i] * x[i]));
    if (i % 3 == 2) {
      auto last = all.back();
      all[std::size_t(i) / 2] = last;
      last->bias *= x[i / 2];
    }
  }
  auto first = all.front();
  all.front().reset();
  double sum = 0;
  for (auto &layer : all)
    if (layer)
      for (double w : layer->weights)
        sum += w * layer->bias * first->bias;
  return sum;
}

/// A count of one's own, in the same structure as a number.
struct Counted {
  double value;
  std::atomic<int> uses{1};
  std::atomic<unsigned> reads{0};
};
static inline Counted *again(Counted *c) {
  c->uses.fetch_add(1, std::memory_order_relaxed);
  return c;
}
static inline void done(Counted *c, double &sum) {
  if (c->uses.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    sum += c->value * c->value;
    delete c;
  }
}
CHECK_NOINLINE static double intrusive(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    auto *a = new Counted;
    a->value = x[i];
    auto *b = i % 2 ? again(a) : nullptr;
    a->value *= x[i] + a->reads.fetch_add(2);
    done(a, sum);
    if (b) {
      b->value *= 1 + b->reads.fetch_add(1);
      done(b, sum);
    }
  }
  return sum;
}

/// The caller's: how often it was called chooses the factor.
struct Meter {
  std::atomic<int> calls;
  double factor;
};
CHECK_NOINLINE static double metered(const double *x, int n, Meter *m) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i] * m->factor * double(m->calls.fetch_add(1) % 4);
  return sum;
}

/// A pointer that is stepped on at once is no count.
CHECK_NOINLINE static double stepped(const double *x, int n) {
  double squares[7];
  for (int i = 0; i < n; ++i)
    squares[i] = x[i] * x[i];
  std::atomic<double *> next{squares};
  double sum = 0;
  for (int i = 0; i < n; i += 2) {
    next.fetch_add(1);
    sum += (i + 1) * *next.load();
    if (i % 4)
      next.fetch_sub(1);
  }
  return sum;
}

static double stepped_6(double *x) { return stepped(x, 6); }
static double layers_7(double *x) { return layers(x, 7); }
static double intrusive_7(double *x) { return intrusive(x, 7); }

int main() {
  double x[7] = {0.5, 1, 0.25, -1, 1.5, 0.75, -0.5};
  double a[7] = {}, b[7] = {}, c[7] = {};
  __verso_grad_void((void *)layers, verso_dup, x, a, verso_const, 7);
  CHECK_GRADIENT(layers_7, 7, x, a, 1e-8);
  __verso_grad_void((void *)intrusive, verso_dup, x, b, verso_const, 7);
  CHECK_GRADIENT(intrusive_7, 7, x, b, 1e-8);
  double e[7] = {};
  __verso_grad_void((void *)stepped, verso_dup, x, e, verso_const, 6);
  CHECK_GRADIENT(stepped_6, 6, x, e, 1e-8);
  Meter m{{0}, 2}, dm{{0}, 0};
  for (int k = 0; k < 3; ++k)
    __verso_grad_void((void *)metered, verso_dup, x, c, verso_const, 7,
                      verso_dup, &m, &dm);
  CHECK(m.calls == 21 && dm.calls == 0);
  double factor = 0;
  for (int i = 0; i < 7; ++i) {
    double counts = 0;
    for (int k = 0; k < 3; ++k)
      counts += (k * 7 + i) % 4;
    CHECK_CLOSE(c[i], 2 * x[i] * 2 * counts, 1e-14);
    factor += x[i] * x[i] * counts;
  }
  CHECK_CLOSE(dm.factor, factor, 1e-14);
  return check_status();
}
