//===- counts.cpp - reference counts that threads may share ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Atomic counts beside numbers: who comes last, by the count, releases or adds
// up. What is released is used again by the next allocation. Counts that are
// compared and exchanged are counts, numbers that are exchanged are numbers.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <atomic>
#include <memory>
#include <vector>

#include <verso/verso.h>

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

/// Who is still there is asked by a count that is exchanged.
VERSO_STRATEGY(structured)
CHECK_NOINLINE static double remembered(const double *x, int n) {
  std::weak_ptr<Layer> slots[3];
  std::shared_ptr<Layer> kept;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    auto found = slots[i % 3].lock();
    if (!found) {
      found = std::make_shared<Layer>(x[i], x[i] * x[(i + 1) % n]);
      slots[i % 3] = found;
      if (i == 1)
        kept = found;
    } else {
      found->bias *= x[i];
    }
    sum += found->weights[1] * found->bias;
  }
  return sum;
}

/// A cache of what others own, a lock, and work that is claimed.
struct Cache {
  std::weak_ptr<Layer> slots[3];
  std::atomic<int> lock{0}, next{0};
  int claim(int end) {
    int at = next.load();
    while (at < end && !next.compare_exchange_weak(at, at + 1))
      ;
    return at;
  }
};
CHECK_NOINLINE static double cached(const double *x, int n) {
  Cache cache;
  std::vector<std::shared_ptr<Layer>> owned;
  double sum = 0;
  for (int i; (i = cache.claim(n)) < n;) {
    for (int free = 0; !cache.lock.compare_exchange_strong(free, 1); free = 0)
      ;
    std::shared_ptr<Layer> found = cache.slots[i % 3].lock();
    if (!found) {
      found = std::make_shared<Layer>(x[i], x[i] * x[(i + 1) % n]);
      cache.slots[i % 3] = found;
      if (i % 2)
        owned.push_back(found);
    } else {
      found->bias *= x[i];
    }
    sum += found->weights[1] * found->bias;
    cache.lock.store(0);
  }
  return sum;
}

/// Numbers that are exchanged at once: bits of numbers, no counts.
CHECK_NOINLINE static double exchanged(const double *x, int n) {
  std::atomic<float> small{1};
  std::atomic<double> large{1};
  for (int i = 0; i < n; ++i) {
    float was = small.load();
    while (!small.compare_exchange_weak(was, was * float(x[i])))
      ;
    double old = large.load();
    while (!large.compare_exchange_weak(old, old + x[i] * old))
      ;
  }
  return small.load() * large.load();
}

static double remembered_7(double *x) { return remembered(x, 7); }
static double cached_7(double *x) { return cached(x, 7); }
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
  double r[7] = {};
  __verso_grad_void((void *)remembered, verso_dup, x, r, verso_const, 7);
  CHECK_GRADIENT(remembered_7, 7, x, r, 1e-8);
  double g[7] = {};
  __verso_grad_void((void *)cached, verso_dup, x, g, verso_const, 7);
  CHECK_GRADIENT(cached_7, 7, x, g, 1e-8);
  double h[7] = {}, product = 1;
  __verso_grad_void((void *)exchanged, verso_dup, x, h, verso_const, 7);
  for (int i = 0; i < 7; ++i)
    product *= x[i] * (1 + x[i]);
  for (int i = 0; i < 7; ++i) // At x = -1 the factor 1 + x is zero.
    if (x[i] == -1) {
      double others = 1;
      for (int k = 0; k < 7; ++k)
        others *= x[k] * (k == i ? 1 : 1 + x[k]);
      CHECK_CLOSE(h[i], others, 1e-6);
    } else {
      CHECK_CLOSE(h[i], product * (1 / x[i] + 1 / (1 + x[i])), 1e-6);
    }
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
