//===- threads.cpp - threads that watch at once ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// More threads than there are windows for each of them watch memory that all
// read, and memory of their own, which the others read without watching it. What
// one adds is nowhere in another one's adjoints; and a thread that watches
// nothing has a gradient like any other.
//
// LEVELS: O0 O1 O2g O3
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <atomic>
#include <thread>
#include <vector>

extern "C" void verso_watch(void *, size_t);
extern "C" void verso_unwatch(void *);
extern "C" void *verso_adjoint_of(const void *);

struct Shared {
  double w[64];
  double own[9][64];
};
static Shared all;

// sum of w own[k] x + the others' numbers
CHECK_NOINLINE static double mixed(const Shared *s, int k, double x) {
  double sum = 0;
  for (int i = 0; i < 64; ++i)
    sum += s->w[i] * s->own[k][i] * x + s->own[(k + 1) % 9][i];
  return sum;
}

static std::atomic<int> bad{0}, ready{0};

static void work(int k, bool watches) {
  if (watches) {
    verso_watch(all.w, sizeof all.w);
    verso_watch(all.own[k], sizeof all.own[k]);
  }
  ++ready;
  while (ready < 9)
    std::this_thread::yield();
  for (int pass = 0; pass < 50; ++pass) {
    double x = 1 + pass + k, dx = 0;
    double got = __verso_grad((void *)mixed, verso_const, &all, k, x);
    for (int i = 0; i < 64; ++i) {
      dx += all.w[i] * all.own[k][i];
      if (!watches)
        continue;
      auto *w = (double *)verso_adjoint_of(&all.w[i]);
      auto *own = (double *)verso_adjoint_of(&all.own[k][i]);
      bad += *w != all.own[k][i] * x || *own != all.w[i] * x;
    }
    bad += got != dx;
  }
  if (watches) {
    verso_unwatch(all.w);
    verso_unwatch(all.own[k]);
  }
}

int main() {
  for (int i = 0; i < 64; ++i) {
    all.w[i] = i % 7;
    for (int k = 0; k < 9; ++k)
      all.own[k][i] = (i + k) % 5;
  }
  std::vector<std::thread> threads;
  for (int k = 0; k < 9; ++k)
    threads.emplace_back(work, k, k != 4);
  for (std::thread &each : threads)
    each.join();
  CHECK_EQUAL(bad.load(), 0);
  // And once more, when their windows were given back.
  ready = 8;
  std::thread(work, 0, true).join();
  CHECK_EQUAL(bad.load(), 0);
  return check_status();
}
