//===- awaited-threads.cpp - latches, semaphores, atomics that are awaited ===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LIBS: -lpthread
// HEAVY: the standard library
//
// A differentiated function waits for what its threads have done by then: by a
// latch, a barrier of the library, semaphores of C++ and of POSIX, an atomic
// variable, the end of a std::jthread. And it wakes a thread that nobody
// differentiates.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <atomic>
#include <latch>
#include <semaphore>
#include <stop_token>
#include <thread>

#include <semaphore.h>

extern "C" double __verso_jvp(void *, ...);

CHECK_NOINLINE static double latched(double *x) {
  double parts[3];
  std::latch done(3);
  {
    std::jthread threads[3];
    for (int k = 0; k < 3; ++k)
      threads[k] = std::jthread([&, k] {
        parts[k] = x[k] * x[k + 1];
        done.count_down();
      });
    done.wait();
  }
  return parts[0] * parts[1] + parts[2] * parts[2];
}

CHECK_NOINLINE static double by_semaphores(double *x) {
  std::counting_semaphore<8> items(0);
  std::binary_semaphore ready(0);
  sem_t posted;
  sem_init(&posted, 0, 0);
  double queue[4];
  std::jthread producer([&](std::stop_token stop) {
    for (int k = 0; k < 4 && !stop.stop_requested(); ++k) {
      queue[k] = x[k] * (k + 1);
      items.release();
    }
    ready.release();
    sem_post(&posted);
  });
  double sum = 1;
  for (int k = 0; k < 4; ++k) {
    items.acquire();
    sum *= 1 + queue[k];
  }
  ready.acquire();
  sem_wait(&posted);
  sem_destroy(&posted);
  return sum;
}

CHECK_NOINLINE static double by_atomics(double *x) {
  std::atomic<int> step{0};
  std::atomic_flag set;
  double y = 0;
  std::jthread other([&] {
    y = x[0] * x[3];
    step.store(1);
    step.notify_all();
    set.test_and_set();
    set.notify_one();
  });
  step.wait(0);
  set.wait(false);
  return y * y + x[1] * x[2];
}

static std::atomic<int> Begun;

/// The one that waits runs outside of the request.
CHECK_NOINLINE static double wakes(double *x) {
  Begun.store(1);
  Begun.notify_all();
  return x[0] * x[1] * x[2] * x[3];
}

template <double (*f)(double *)> static void check() {
  double x[4] = {0.7, 1.3, 0.9, 1.6}, dx[4] = {};
  __verso_grad_void((void *)f, verso_dup, x, dx);
  CHECK_GRADIENT(f, 4, x, dx, 1e-7);
  for (int k = 0; k < 4; ++k) {
    double v[4] = {};
    v[k] = 1;
    CHECK_CLOSE(__verso_jvp((void *)f, verso_dup, x, v), dx[k], 1e-13);
  }
}

int main() {
  check<latched>();
  check<by_semaphores>();
  check<by_atomics>();
  std::thread waiting([] { Begun.wait(0); });
  check<wakes>();
  waiting.join();
  return check_status();
}
