//===- threads.cpp - requests in several threads at once ------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Eight threads ask for gradients on data of their own, over and over; one more
// runs the primal. Shadow memory is shared, so an ID of one thread must never
// be taken for one of another. Memory passes from thread to thread between
// requests.
//
// FLAGS: -pthread
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <atomic>
#include <thread>
#include <vector>

CHECK_NOINLINE static double rosenbrock(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i + 1 < n; ++i) {
    double a = 1 - x[i], b = x[i + 1] - x[i] * x[i];
    sum += a * a + 100 * b * b;
  }
  return sum;
}

static double expected(const std::vector<double> &x, int i) {
  double g = 0;
  int n = static_cast<int>(x.size());
  if (i + 1 < n)
    g += -2 * (1 - x[i]) - 400 * x[i] * (x[i + 1] - x[i] * x[i]);
  if (i > 0)
    g += 200 * (x[i] - x[i - 1] * x[i - 1]);
  return g;
}

int main() {
  std::atomic<int> wrong{0};
  auto work = [&wrong](int seed) {
    for (int round = 0; round < 200; ++round) {
      std::vector<double> x(50 + seed), dx(x.size());
      for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = 0.5 + 0.01 * static_cast<double>((i * 7 + seed + round) % 13);
      __verso_grad_void((void *)rosenbrock, verso_dup, x.data(), dx.data(),
                        verso_const, static_cast<int>(x.size()));
      for (std::size_t i = 0; i < x.size(); ++i)
        if (!(std::fabs(dx[i] - expected(x, static_cast<int>(i))) <= 1e-10))
          ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (int seed = 0; seed < 8; ++seed)
    threads.emplace_back(work, seed);
  for (std::thread &thread : threads)
    thread.join();
  CHECK_EQUAL(wrong.load(), 0);
  return check_status();
}
