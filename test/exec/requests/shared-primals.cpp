//===- shared-primals.cpp - threads that read the same memory -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several threads ask for gradients with respect to the same weights, each with
// a shadow of its own, as data-parallel training does: read one by one, copied
// as a whole, reached through a pointer in memory, and watched. A request that
// found the leaves of another thread's would lose a part of its gradient. And
// there are more threads than windows of shadow memory (ImageWindows.h).
//
// FLAGS: -pthread
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "verso/verso.h"
#include <atomic>
#include <thread>
#include <vector>

constexpr int Count = 24, Threads = 15;

struct Layer {
  double *weights;
  double bias;
};

CHECK_NOINLINE static double readEach(const double *w, double x) {
  double sum = 0;
  for (int i = 0; i < Count; ++i)
    sum += w[i] * w[i] * x;
  return sum;
}

CHECK_NOINLINE static double copied(const double *w, double x) {
  std::vector<double> own(w, w + Count);
  double sum = 0;
  for (double v : own)
    sum += v * v * x;
  return sum;
}

CHECK_NOINLINE static double throughPointer(const Layer *l, double x) {
  return readEach(l->weights, x) + l->bias * x;
}

static double weights[Count];
static Layer layer = {weights, 0.5};

static void expectGradient(const double *dw, double x, std::atomic<int> &wrong) {
  for (int i = 0; i < Count; ++i)
    if (!(std::fabs(dw[i] - 2 * weights[i] * x) <= 1e-12))
      ++wrong;
}

int main() {
  for (int i = 0; i < Count; ++i)
    weights[i] = 0.25 * i - 2;
  std::atomic<int> wrong{0}, lost{0}, inLayer{0}, unwatched{0};
  std::atomic<int> waiting{Threads};
  auto startTogether = [&] {
    for (--waiting; waiting.load();)
      std::this_thread::yield();
  };
  auto work = [&](int seed) {
    startTogether();
    for (int round = 0; round < 2000; ++round) {
      double x = 1 + 0.125 * ((seed + round) % 16);
      double dw[Count] = {0};
      __verso_grad_void((void *)readEach, verso_dup, weights, dw, verso_const,
                        x);
      expectGradient(dw, x, wrong);
      double dc[Count] = {0};
      __verso_grad_void((void *)copied, verso_dup, weights, dc, verso_const, x);
      expectGradient(dc, x, lost);
      double dp[Count] = {0};
      Layer shadow = {dp, 0};
      __verso_grad_void((void *)throughPointer, verso_dup, &layer, &shadow,
                        verso_const, x);
      expectGradient(dp, x, inLayer);
      if (shadow.bias != x)
        ++inLayer;
    }
  };
  auto watch = [&](int seed) {
    verso_watch(weights, sizeof(weights));
    startTogether();
    for (int round = 0; round < 2000; ++round) {
      double x = 1 + 0.125 * ((seed + round) % 16);
      __verso_grad_void((void *)copied, verso_const, weights, verso_const, x);
      expectGradient(static_cast<double *>(verso_adjoint_of(weights)), x,
                     unwatched);
    }
    verso_unwatch(weights);
  };
  std::vector<std::thread> threads;
  for (int seed = 0; seed < Threads - 3; ++seed)
    threads.emplace_back(work, seed);
  for (int seed = 0; seed < 3; ++seed)
    threads.emplace_back(watch, seed);
  for (std::thread &thread : threads)
    thread.join();
  CHECK_EQUAL(wrong.load(), 0);
  CHECK_EQUAL(lost.load(), 0);
  CHECK_EQUAL(inLayer.load(), 0);
  CHECK_EQUAL(unwatched.load(), 0);
  return check_status();
}
