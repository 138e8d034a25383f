//===- left-in-threads.cpp - requests that others wait for ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request on the tape has a window of shadow memory for itself, and there are
// fewer than threads. Exceptions leave requests in threads that make no other
// and stay; many requests wait for a mutex whose holder makes one, too; and a
// copy of the process has windows though its other threads are gone.
//
// FLAGS: -pthread
// UNCHECKED: a copy of the process that an exception ends has nothing to compare
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

constexpr int Threads = 12;

CHECK_NOINLINE static double squares(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0)
      throw std::runtime_error("negative");
    sum += x[i] * x[i];
  }
  return sum;
}

static std::mutex guarded;
static std::atomic<int> calls{0};
CHECK_NOINLINE static double counted(const double *x, int n) {
  std::lock_guard<std::mutex> guard(guarded);
  ++calls;
  return squares(x, n);
}

static bool isRight() {
  double x[] = {1, 2, 3}, dx[3] = {0};
  __verso_grad_void((void *)squares, verso_dup, x, dx, verso_const, 3);
  return dx[0] == 2 && dx[1] == 4 && dx[2] == 6;
}

static void leave() {
  std::atomic<int> left{0}, right{0};
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < Threads; ++t)
    threads.emplace_back([&] {
      double x[] = {1, -2, 3}, dx[3] = {0};
      try {
        __verso_grad_void((void *)squares, verso_dup, x, dx, verso_const, 3);
      } catch (const std::exception &) {
        ++left;
      }
      while (!done)
        std::this_thread::yield();
      right += isRight();
    });
  while (left != Threads)
    std::this_thread::yield();
  CHECK(isRight());
  done = true;
  for (std::thread &t : threads)
    t.join();
  CHECK_EQUAL(right.load(), Threads);
}

static void holdMutex() {
  std::vector<std::thread> threads;
  std::atomic<int> started{0}, right{0};
  {
    std::lock_guard<std::mutex> guard(guarded);
    for (int t = 0; t < Threads; ++t)
      threads.emplace_back([&] {
        double x[] = {1, 2, 3}, dx[3] = {0};
        ++started;
        __verso_grad_void((void *)counted, verso_dup, x, dx, verso_const, 3);
        right += dx[0] == 2 && dx[1] == 4 && dx[2] == 6;
      });
    while (started != Threads)
      std::this_thread::yield();
    usleep(20000);
    CHECK(isRight());
  }
  for (std::thread &t : threads)
    t.join();
  CHECK_EQUAL(right.load(), Threads);
}

static void copyProcess() {
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < Threads; ++t)
    threads.emplace_back([&] {
      while (!done)
        isRight();
    });
  for (int k = 0; k < 5; ++k) {
    pid_t copy = fork();
    if (copy == 0)
      _exit(isRight() ? 7 : 1);
    int status = 0;
    waitpid(copy, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  }
  done = true;
  for (std::thread &t : threads)
    t.join();
}

int main() {
  leave();
  holdMutex();
  copyProcess();
  return check_status();
}
