//===- threads.cpp - threads that would be another program ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads of differentiated functions run one after another. Variables of a
// thread that they would share, and waiting for one another, are errors; so is a
// loop that the team of a region around the request would share.
//
//===----------------------------------------------------------------------===//

// REQUIRES: openmp
// RUN: %clangxx_verso -std=c++20 -O0 -g -fopenmp %s -o %t %verso_libs
// RUN: not %t local 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: not %t wait 2>&1 | FileCheck %s --check-prefix=WAIT
// RUN: not %t latch 2>&1 | FileCheck %s --check-prefix=LATCH
// RUN: not %t semaphore 2>&1 | FileCheck %s --check-prefix=SEMAPHORE
// RUN: not %t foreign 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: not %t team 2>&1 | FileCheck %s --check-prefix=TEAM
// RUN: %t none
// RUN: %clangxx_verso -std=c++20 -O2 -g -fopenmp %s -o %t %verso_libs
// RUN: not %t local 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: not %t wait 2>&1 | FileCheck %s --check-prefix=WAIT
// RUN: not %t latch 2>&1 | FileCheck %s --check-prefix=LATCH
// RUN: not %t semaphore 2>&1 | FileCheck %s --check-prefix=SEMAPHORE
// RUN: not %t foreign 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: not %t team 2>&1 | FileCheck %s --check-prefix=TEAM
// RUN: %t none

#include <verso/verso.h>

#include <condition_variable>
#include <cstring>
#include <latch>
#include <mutex>
#include <thread>

#include <semaphore.h>

thread_local double Sum;

static void add(const double *x, double *to) {
  // LOCAL: error: {{.*}}threads.cpp:[[#@LINE+1]]:{{[0-9]+}}{{.*}}: a thread_local variable
  Sum += x[0];
  *to += Sum;
}

static double local(const double *x) {
  double y = 0;
  add(x, &y); // Here it is the caller's own.
  std::thread(add, x, &y).join();
  return y;
}

static double alone(const double *x) {
  double y = 0;
  add(x, &y);
  return y;
}

static double wait(const double *x) {
  std::mutex guard;
  std::condition_variable changed;
  bool ready = false;
  double y = 0;
  std::thread first([&] {
    std::unique_lock<std::mutex> lock(guard);
    // WAIT: error: {{.*}}: a differentiated function waits for another thread
    while (!ready)
      changed.wait(lock);
    y += x[0];
  });
  {
    std::lock_guard<std::mutex> lock(guard);
    ready = true;
  }
  changed.notify_one();
  first.join();
  return y;
}

static double latch(const double *x) {
  std::latch done(2);
  double y = 0;
  std::jthread first([&] {
    y = x[0];
    done.count_down();
  });
  // LATCH: error: {{.*}}: a differentiated function waits for another thread
  done.wait();
  return y;
}

static double semaphore(const double *x) {
  sem_t ready;
  sem_init(&ready, 0, 0);
  double y = 0;
  std::thread first([&] {
    // SEMAPHORE: error: {{.*}}threads.cpp:[[#@LINE+1]]:{{.*}}: a differentiated function waits
    sem_wait(&ready);
    y = x[0];
  });
  sem_post(&ready);
  first.join();
  return y;
}

// FOREIGN: error: {{.*}}waits for a thread that it did not start
static double foreign(std::thread *t, const double *x) {
  t->join();
  return x[0];
}

static double team(const double *x) {
  double s = 0;
  // TEAM: error: {{.*}}threads.cpp:[[#@LINE+1]]:{{[0-9]+}}{{.*}}: the 2 threads of a parallel region share this
#pragma omp for
  for (int i = 0; i < 4; ++i)
    s += x[i] * x[i];
  return s;
}

int main(int, char **arguments) {
  double x[4] = {1, 2, 3, 4}, dx[4] = {0};
  const char *which = arguments[1];
  if (!strcmp(which, "local"))
    __verso_grad((void *)local, verso_dup, x, dx);
  if (!strcmp(which, "wait"))
    __verso_grad((void *)wait, verso_dup, x, dx);
  if (!strcmp(which, "latch"))
    __verso_grad((void *)latch, verso_dup, x, dx);
  if (!strcmp(which, "semaphore"))
    __verso_grad((void *)semaphore, verso_dup, x, dx);
  if (!strcmp(which, "foreign")) {
    std::thread t([] {});
    __verso_grad((void *)foreign, verso_const, &t, verso_dup, x, dx);
  }
  if (!strcmp(which, "team")) {
#pragma omp parallel num_threads(2)
    {
      double own[4] = {0};
      __verso_grad((void *)team, verso_dup, x, own);
    }
  }
  __verso_grad((void *)alone, verso_dup, x, dx);
  return dx[0] == 1 ? 0 : 1;
}
