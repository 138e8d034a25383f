//===- threads.cpp - threads that a differentiated function starts --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LIBS: -lpthread
//
// std::thread, std::async, promises and POSIX threads: what they are handed,
// what they give back, locks, and exceptions.
//
// HEAVY: the standard library
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <verso/verso.h>

#include <future>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include <pthread.h>

enum { N = 20 };

static void part(const double *x, double *y, int from, int to) {
  for (int i = from; i < to; ++i)
    y[i] = x[i] * x[i] * (i + 1);
}

CHECK_NOINLINE static double joined(const double *x) {
  double y[N], s = 0;
  std::mutex guard;
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back(part, x, y, k * N / 4, (k + 1) * N / 4);
  threads.emplace_back([&guard, &s, x] {
    for (int i = 0; i < 3; ++i) {
      std::lock_guard<std::mutex> lock(guard);
      s += x[i] * x[i + 1];
    }
  });
  for (std::thread &t : threads)
    t.join();
  return std::accumulate(y, y + N, s);
}

static double sum(const double *x, int n) {
  if (n < 4)
    return std::accumulate(x, x + n, 1.0,
                           [](double a, double b) { return a * (b + 0.5); });
  auto right = std::async(std::launch::async, sum, x + n / 2, n - n / 2);
  double left = sum(x, n / 2);
  return left * right.get() + left;
}

CHECK_NOINLINE static double asynchronous(const double *x) {
  double s = sum(x, N);
  auto failing = std::async(
      std::launch::async,
      [](double a) -> double {
        if (a > 0)
          throw std::runtime_error("no");
        return a;
      },
      x[0]);
  auto later = std::async(
      std::launch::deferred, [](double a) { return a * a * a; }, x[1]);
  try {
    s += failing.get();
  } catch (const std::runtime_error &) {
    s += later.get() * x[2];
  }
  return s;
}

CHECK_NOINLINE static double promised(const double *x) {
  std::promise<double> promise;
  std::future<double> future = promise.get_future();
  std::packaged_task<double(double)> task([x](double a) { return a * x[1]; });
  std::future<double> packaged = task.get_future();
  std::thread a([&promise, x] { promise.set_value(x[0] * x[0]); });
  std::thread b(std::move(task), x[2]);
  double s = future.get() + 2 * packaged.get();
  a.join();
  b.join();
  return s;
}

struct Job {
  const double *From;
  double Result;
};

static void *square(void *argument) {
  Job *job = static_cast<Job *>(argument);
  job->Result = job->From[0] * job->From[1];
  return job->From[0] > 0 ? &job->Result : nullptr;
}

static void *nothing(void *argument) {
  *static_cast<double *>(argument) *= 3;
  return nullptr;
}

CHECK_NOINLINE static double posix(const double *x) {
  Job jobs[3];
  pthread_t threads[3], other;
  double s = x[5];
  for (int k = 0; k < 3; ++k) {
    jobs[k].From = x + k;
    if (pthread_create(&threads[k], nullptr, square, &jobs[k]))
      return 0;
  }
  pthread_create(&other, nullptr, nothing, &s);
  pthread_join(other, nullptr);
  for (int k = 2; k >= 0; --k) {
    void *result;
    pthread_join(threads[k], &result);
    s += *static_cast<double *>(result) * (k + 1);
  }
  return s;
}

typedef double function(const double *);

template <function f> static void check() {
  double x[N], dx[N] = {0}, tangent[N], there[N], back[N], along = 0, h = 1e-5;
  for (int i = 0; i < N; ++i) {
    x[i] = 0.7 + 0.02 * ((i * 7) % 11);
    tangent[i] = cos(i);
    there[i] = x[i] + h * tangent[i];
    back[i] = x[i] - h * tangent[i];
  }
  __verso_grad((void *)f, verso_dup, x, dx);
  for (int i = 0; i < N; ++i)
    along += dx[i] * tangent[i];
  CHECK_CLOSE(__verso_jvp((void *)f, verso_dup, x, tangent), along, 1e-12);
  CHECK_CLOSE(along, (f(there) - f(back)) / (2 * h), 1e-8);
}

int main() {
  check<joined>();
  check<asynchronous>();
  check<promised>();
  check<posix>();
  return check_status();
}
