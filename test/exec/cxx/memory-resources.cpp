//===- memory-resources.cpp - std::pmr ------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Containers whose memory comes from the library's resources, whose virtual
// functions have no names that a module could know, and from the program's own.
//
//===----------------------------------------------------------------------===//

#include "../derivative.h"
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <memory_resource>
#include <vector>

static double squares(std::pmr::memory_resource *resource, double x) {
  std::pmr::vector<double> v(resource);
  for (int i = 0; i < 20; ++i)
    v.push_back(x * i);
  double sum = 0;
  for (double each : v)
    sum += each * each;
  return sum;
}
CHECK_NOINLINE static double monotonic(double x) {
  std::pmr::monotonic_buffer_resource resource;
  return squares(&resource, x) + squares(&resource, x);
}
CHECK_NOINLINE static double in_a_buffer(double x) {
  char buffer[512];
  std::pmr::monotonic_buffer_resource resource(buffer, sizeof buffer);
  double sum = squares(&resource, x);
  resource.release();
  return sum + squares(&resource, x);
}
CHECK_NOINLINE static double by_default(double x) {
  std::pmr::vector<double> from(3, x), to;
  to = from;
  std::pmr::vector<double> moved = std::move(to);
  return moved[0] * moved[1] + squares(std::pmr::get_default_resource(), x);
}
template <class Resource> static double pooled(double x) {
  Resource resource;
  double sum = 0;
  for (int k = 0; k < 3; ++k) {
    std::pmr::map<int, double> map(&resource);
    for (int i = 0; i < 20; ++i)
      map[i * 7 % 20] = k == 1 ? 0.5 * i : x * i; // in numbers' places
    for (auto &[key, each] : map)
      sum += each * each;
  }
  std::pmr::monotonic_buffer_resource buffer;
  std::pmr::list<double> one(&buffer), other(&resource);
  one.push_back(x);
  other = one;
  std::pmr::list<double> from(std::pmr::new_delete_resource());
  from = std::move(one);
  return sum + other.front();
}
CHECK_NOINLINE static double in_pools(double x) {
  return pooled<std::pmr::unsynchronized_pool_resource>(x) +
         pooled<std::pmr::synchronized_pool_resource>(x);
}

/// The program's own, over the library's and under it.
struct Counting : std::pmr::memory_resource {
  std::size_t bytes = 0;
  void *do_allocate(std::size_t n, std::size_t alignment) override {
    bytes += n;
    return std::pmr::new_delete_resource()->allocate(n, alignment);
  }
  void do_deallocate(void *p, std::size_t n, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(p, n, alignment);
  }
  bool do_is_equal(const memory_resource &other) const noexcept override {
    return this == &other;
  }
};
CHECK_NOINLINE static double counted(double x) {
  Counting resource;
  double sum = squares(&resource, x);
  std::pmr::monotonic_buffer_resource over(&resource);
  sum += squares(&over, x);
  return resource.bytes > 160 ? sum : 0;
}

/// Blocks that the program's resource has cleared, while the library asked: what
/// was there before is gone.
struct Cleared : std::pmr::memory_resource {
  void *kept = nullptr;
  void *do_allocate(std::size_t n, std::size_t) override {
    void *p = kept && n <= 4096 ? kept : std::malloc(n < 4096 ? 4096 : n);
    kept = nullptr;
    std::memset(p, 0, n);
    return p;
  }
  void do_deallocate(void *p, std::size_t, std::size_t) override { kept = p; }
  bool do_is_equal(const memory_resource &other) const noexcept override {
    return this == &other;
  }
};
template <class Resource> static double sum_of_blocks(Resource &over, double x) {
  double sum = 0;
  for (int k = 0; k < 2; ++k) {
    std::pmr::monotonic_buffer_resource own(&over), *resource = &own;
    double *a = (double *)resource->allocate(64 * sizeof(double), 8);
    if (k == 0)
      for (int i = 0; i < 64; ++i)
        a[i] = x * i;
    for (int i = 0; i < 64; ++i)
      sum += a[i];
  }
  return sum;
}
CHECK_NOINLINE static double cleared(double x) {
  Cleared resource;
  double sum = sum_of_blocks(resource, x);
  std::free(resource.kept);
  return sum;
}

int main() {
  const double x = 0.5, slope = 2 * 2470 * x;
  CHECK_DERIVATIVE(monotonic, x, 2 * slope, 1e-14);
  CHECK_DERIVATIVE(in_a_buffer, x, 2 * slope, 1e-14);
  CHECK_DERIVATIVE(by_default, x, slope + 2 * x, 1e-14);
  CHECK_DERIVATIVE(in_pools, x, 4 * slope + 2, 1e-14);
  CHECK_DERIVATIVE(counted, x, 2 * slope, 1e-14);
  CHECK_DERIVATIVE(cleared, x, 2016, 1e-14);
  return check_status();
}
