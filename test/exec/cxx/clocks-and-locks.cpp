//===- clocks-and-locks.cpp - what has no derivative ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clocks and locks of many kinds between numbers.
//
// UNCHECKED: it compares with forward mode itself
//
//===----------------------------------------------------------------------===//

#include "gradient_and_jvp.h"

#include <chrono>
#include <mutex>
#include <shared_mutex>

struct Account {
  mutable std::shared_timed_mutex Lock;
  std::timed_mutex Writing;
  double Balance;

  void add(double x) {
    std::unique_lock<std::timed_mutex> W(Writing, std::chrono::seconds(1));
    std::unique_lock<std::shared_timed_mutex> L(Lock);
    Balance += x;
  }
  double get() const {
    std::shared_lock<std::shared_timed_mutex> L(Lock, std::try_to_lock);
    return L ? Balance : 0;
  }
};

CHECK_NOINLINE static double timed(const double *x) {
  auto begin = std::chrono::steady_clock::now();
  Account a;
  a.Balance = x[0];
  for (int i = 0; i < 3; ++i)
    a.add(x[i] * x[1]);
  auto end = std::chrono::steady_clock::now();
  auto date = std::chrono::system_clock::now().time_since_epoch();
  return a.get() * (end >= begin && date.count() > 0);
}

int main() {
  // x0 + (x0 + x1 + x2) x1
  check<timed>({1 + 2, 0.5 + 4 + 3, 2});
  return check_status();
}
