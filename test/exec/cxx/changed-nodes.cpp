//===- changed-nodes.cpp - maps, sets and lists that are changed ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Containers of nodes are duplicated, deep copies with zeros as their shadows,
// and changed inside the function: nodes are inserted, erased, spliced, reversed,
// swapped. libstdc++ links them in its library, where nobody looks.
//
// HEAVY: maps of the standard library
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <list>
#include <map>
#include <set>

template <typename Container> static Container zeros(Container c) {
  for (auto &[key, value] : c)
    value = 0;
  return c;
}

using Map = std::map<int, double>;

CHECK_NOINLINE static double weigh(const Map &m) {
  double sum = 0;
  int place = 1;
  for (const auto &[key, value] : m)
    sum += place++ * value * value;
  for (auto it = m.rbegin(); it != m.rend(); ++it)
    sum += it->first * it->second;
  return sum;
}

/// Many of both, so that every case of rebalancing is met.
static double churn(Map &m, double a) {
  for (int k = 0; k < 40; k += 2)
    m[k * 7 % 41 * 10 + 5] = a * k;
  for (int k = 0; k < 300; k += 30)
    m.erase(k);
  m.erase(m.begin());
  m.erase(std::prev(m.end()));
  return weigh(m);
}

static double churnOf(const Map &start, double a) {
  Map m = start;
  return churn(m, a);
}

static void maps() {
  Map m;
  for (int k = 0; k < 60; ++k)
    m[k * 10] = 0.1 * k + 0.5;
  // Never destroyed: its links go to nodes of the primal in the end.
  Map start = m, &dm = *new Map(zeros(m));
  // Nodes of the shadow, by key: the shadow tree follows the primal one.
  std::map<int, const double *> cells;
  for (const auto &[key, value] : dm)
    cells[key] = &value;
  double da = __verso_grad((void *)churn, &m, &dm, 0.75);
  CHECK(m == [&] {
    Map n = start;
    churn(n, 0.75);
    return n;
  }());
  // The function is a polynomial of degree two.
  CHECK_CLOSE(da, (churnOf(start, 1.75) - churnOf(start, -0.25)) / 2, 1e-9);
  for (const auto &[key, value] : start) {
    Map up = start, down = start;
    up[key] += 1;
    down[key] -= 1;
    CHECK_CLOSE(*cells[key], (churnOf(up, 0.75) - churnOf(down, 0.75)) / 2,
                1e-9);
  }
}

using List = std::list<double>;

static double braid(List &l, double a) {
  List other{a, 2 * a, 3 * a};
  l.push_front(a * a);
  l.splice(std::next(l.begin(), 2), other, other.begin());
  l.reverse();
  l.erase(std::next(l.begin()));
  l.swap(other);
  other.splice(other.begin(), l);
  l.sort();
  l.merge(other);
  double sum = 0, place = 1;
  for (double x : l)
    sum += place++ * x * x;
  return sum;
}

static void lists() {
  List l{0.5, 1.5, -2.5, 4}, &dl = *new List{0, 0, 0, 0};
  const double *cells[4];
  const double start[4] = {0.5, 1.5, -2.5, 4};
  int n = 0;
  for (double &d : dl)
    cells[n++] = &d;
  double da = __verso_grad((void *)braid, &l, &dl, 0.25);
  auto value = [&](int i, double by, double a) {
    double x[4];
    for (int k = 0; k < 4; ++k)
      x[k] = start[k] + (k == i ? by : 0);
    List m(x, x + 4);
    return braid(m, a);
  };
  const double h = 1e-3;
  CHECK_CLOSE(da, (value(0, 0, 0.25 + h) - value(0, 0, 0.25 - h)) / (2 * h),
              1e-5);
  for (int i = 0; i < 4; ++i)
    CHECK_CLOSE(*cells[i], (value(i, h, 0.25) - value(i, -h, 0.25)) / (2 * h),
                1e-9);
}

static double ordered(const double *x) {
  std::set<double> s(x, x + 4);
  s.insert(x[0] * x[1]);
  s.erase(x[2]);
  double sum = 0, place = 1;
  for (double v : s)
    sum += place++ * v * v;
  return sum;
}

int main() {
  maps();
  lists();
  double x[4] = {3, 0.5, 2, 7}, dx[4] = {};
  // 0.5, 1.5, 3, 7 in this order.
  __verso_grad_void((void *)ordered, x, dx);
  CHECK_EQUAL(dx[0], 3 * 2 * 3 + 2 * 2 * 1.5 * 0.5);
  CHECK_EQUAL(dx[1], 1 + 2 * 2 * 1.5 * 3);
  CHECK_EQUAL(dx[2], 0);
  CHECK_EQUAL(dx[3], 4 * 2 * 7);
  return check_status();
}
