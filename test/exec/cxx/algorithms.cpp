//===- algorithms.cpp - the standard algorithms on active numbers ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// sort, stable_sort with a comparator, nth_element, partial sums, transform,
// accumulate, rotate, min_element, priority_queue: the derivative follows the
// number. (libstdc++ itself uses what it has deprecated.)
//
// FLAGS: -Wno-deprecated-declarations
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <algorithm>
#include <numeric>
#include <queue>
#include <vector>

struct Item {
  double key;
  int id;
  float weight;
};

CHECK_NOINLINE static double sorting(const double *x, int n) {
  std::vector<double> v(x, x + n);
  std::sort(v.begin(), v.end());
  std::vector<Item> items;
  for (int i = 0; i < n; ++i)
    items.push_back({x[i] * x[i], i, static_cast<float>(x[i])});
  std::stable_sort(items.begin(), items.end(),
                   [](const Item &a, const Item &b) {
                     return a.key > b.key || (a.key == b.key && a.id < b.id);
                   });
  std::vector<double> w(x, x + n);
  std::nth_element(w.begin(), w.begin() + n / 2, w.end());
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    auto k = static_cast<std::size_t>(i);
    sum += (i + 1) * v[k] * v[k] + i * items[k].key;
    sum += i * i * static_cast<double>(items[k].weight) / 64;
  }
  return sum + 10 * w[static_cast<std::size_t>(n / 2)];
}
CHECK_NOINLINE static double pipeline(const double *x, int n) {
  std::vector<double> v(x, x + n), sums(v.size());
  std::transform(v.begin(), v.end(), v.begin(),
                 [](double a) { return a * a + 1; });
  std::partial_sum(v.begin(), v.end(), sums.begin());
  std::rotate(sums.begin(), sums.begin() + 2, sums.end());
  std::reverse(sums.begin(), sums.begin() + 3);
  double dot = std::inner_product(v.begin(), v.end(), sums.begin(), 0.0);
  auto [low, high] = std::minmax_element(v.begin(), v.end());
  std::priority_queue<double> queue(v.begin(), v.end());
  double top = queue.top();
  queue.pop();
  return dot + *low * *high + top / queue.top() +
         std::accumulate(x, x + n, 1.0,
                         [](double a, double b) { return a * b; });
}
static double sorting_24(double *x) { return sorting(x, 24); }
static double pipeline_6(double *x) { return pipeline(x, 6); }

int main() {
  // More than 16 elements, so that std::sort partitions; multiples of 1/16, so
  // that the floats are exact.
  double x[24], dx[24] = {};
  for (int i = 0; i < 24; ++i)
    x[i] = ((i * 7) % 24 + 1) / 4.0;
  __verso_grad_void((void *)sorting, verso_dup, x, dx, 24);
  CHECK_GRADIENT(sorting_24, 24, x, dx, 1e-4);
  double y[] = {2, -1, 0.5, 3, 1.5, -2.5}, dy[6] = {};
  __verso_grad_void((void *)pipeline, verso_dup, y, dy, 6);
  CHECK_GRADIENT(pipeline_6, 6, y, dy, 1e-8);
  return check_status();
}
