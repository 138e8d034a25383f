//===- map.cpp - std::map, std::set, std::list and std::deque -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Node-based containers whose nodes are allocated and rebalanced inside; keys
// are active as well.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <deque>
#include <list>
#include <map>
#include <set>
#include <string>

CHECK_NOINLINE static double by_key(const double *x, int n) {
  std::map<double, double> m;
  for (int i = 0; i < n; ++i)
    m[x[i]] = x[i] * x[n - 1 - i];
  m.erase(m.begin());
  double sum = 0, weight = 1;
  for (const auto &[key, value] : m)
    sum += weight++ * key * value;
  return sum;
}
CHECK_NOINLINE static double by_name(double x, double y) {
  std::map<std::string, double> values;
  values["x"] = x;
  values["a rather long name, not kept in place"] = y;
  values["x * y"] =
      values["x"] * values.at("a rather long name, not kept in place");
  values["x"] *= 2;
  double product = 1;
  for (const auto &entry : values)
    product *= entry.second;
  return product + static_cast<double>(values.count("z"));
}
CHECK_NOINLINE static double sequences(const double *x, int n) {
  std::list<double> list;
  std::deque<double> deque;
  std::multiset<double> set;
  for (int i = 0; i < n; ++i) {
    if (i % 2)
      list.push_front(x[i] * 2);
    else
      list.push_back(x[i] * x[i]);
    deque.push_front(x[i]);
    set.insert(x[i] * 3);
  }
  list.reverse();
  list.sort();
  double sum = 0, weight = 1;
  for (double value : list)
    sum += weight++ * value;
  while (!deque.empty()) {
    sum += deque.back() * deque.front() * weight++;
    deque.pop_back();
  }
  for (double value : set)
    sum += value * weight++;
  return sum;
}
static double by_key_5(double *x) { return by_key(x, 5); }
static double sequences_5(double *x) { return sequences(x, 5); }

struct Two {
  double x, y;
};
extern "C" Two __verso_grad_two(void *, ...);

int main() {
  double x[] = {3, 1, 4, 1.5, 5}, dx[5] = {}, ds[5] = {};
  __verso_grad_void((void *)by_key, verso_dup, x, dx, 5);
  CHECK_GRADIENT(by_key_5, 5, x, dx, 1e-8);
  // 2 x * y * (x * y).
  Two g = __verso_grad_two((void *)by_name, 3.0, 5.0);
  CHECK_EQUAL(g.x, 4 * 3 * 25);
  CHECK_EQUAL(g.y, 4 * 9 * 5);
  __verso_grad_void((void *)sequences, verso_dup, x, ds, 5);
  CHECK_GRADIENT(sequences_5, 5, x, ds, 1e-8);
  return check_status();
}
