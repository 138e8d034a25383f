//===- pools-over-resources.cpp - a local pool over a local resource ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library's constructor stores the pool's table of virtual functions, which
// nobody sees: it was taken for a pointer that nothing was stored for, so that
// the allocation did not return, and the gradient was zero (at -O0).
//
// LEVELS: O0 O2g
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <memory_resource>
#include <new>
#include <vector>

struct Counting : std::pmr::memory_resource {
  int blocks = 0;
  void *do_allocate(std::size_t bytes, std::size_t) override {
    ++blocks;
    return ::operator new(bytes);
  }
  void do_deallocate(void *p, std::size_t, std::size_t) override {
    ::operator delete(p);
  }
  bool do_is_equal(const memory_resource &other) const noexcept override {
    return this == &other;
  }
};

CHECK_NOINLINE static double over(double x, int n) {
  Counting below;
  std::pmr::unsynchronized_pool_resource pool(&below);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    int before = below.blocks;
    std::pmr::vector<double> v(std::size_t(8 << i), x, &pool);
    int now = below.blocks;
    v[0] = x * i;
    sum += (now != before ? x * x : 0) + v[0] * v[1];
  }
  return sum;
}

int main() {
  // Each vector's block is of another size, and comes from below.
  const double x = 0.7;
  for (int n = 1; n < 4; ++n)
    CHECK_CLOSE(__verso_grad((void *)over, x, n),
                2 * x * (n + n * (n - 1) / 2), 1e-14);
  return check_status();
}
