//===- containers.cpp - the standard library ----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// std::vector (growth, insert, erase, swap), map, list, unordered_map,
// function, sort, accumulate, unique_ptr, string, tuple, variant, lambdas with
// captures, valarray; the dot-product test against reverse mode.
//
// FLAGS: -Wno-deprecated-declarations
// HEAVY: the standard library
//
//===----------------------------------------------------------------------===//

#include "forward.h"
#include <algorithm>
#include <array>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_map>
#include <valarray>
#include <variant>
#include <vector>

CHECK_NOINLINE static void vectors(double *x, double *y) {
  std::vector<double> v;
  for (int i = 0; i < 40; ++i)
    v.push_back(x[i % 5] * (i + 1));
  v.insert(v.begin() + 3, x[1] * x[2]);
  v.erase(v.begin() + 7, v.begin() + 20);
  std::vector<double> w = v, u(x, x + 5);
  std::swap(u, w);
  u.resize(60, x[3]);
  y[0] = std::accumulate(v.begin(), v.end(), 0.0);
  y[1] = std::inner_product(w.begin(), w.end(), u.begin(), x[0]);
  std::vector<std::vector<double>> rows(3, w);
  rows[1][2] *= rows[0][1];
  rows.push_back(rows[1]);
  y[2] = rows[3][2] + rows[2][2] + u[59];
}
CHECK_NOINLINE static void trees(double *x, double *y) {
  std::map<int, double> m;
  std::map<std::string, std::vector<double>> named;
  std::unordered_map<int, double> hashed;
  std::list<double> list;
  for (int i = 0; i < 20; ++i) {
    m[(i * 7) % 11] += x[i % 5] * x[(i + 1) % 5];
    named["name" + std::to_string(i % 3)].push_back(x[i % 5]);
    hashed[i * 37 % 17] = x[i % 5] + i;
    if (i % 2)
      list.push_back(x[i % 5]);
    else
      list.push_front(x[i % 5] * 2);
  }
  m.erase(3);
  list.sort();
  list.reverse();
  y[0] = y[1] = y[2] = 0;
  for (auto &[k, v] : m)
    y[0] += k * v;
  for (auto &[k, v] : named)
    for (double e : v)
      y[1] = y[1] * 0.9 + e;
  int n = 0;
  for (double e : list)
    y[2] += e * ++n;
  for (int i = 0; i < 17; ++i)
    if (hashed.count(i))
      y[1] += hashed[i] * i;
}
CHECK_NOINLINE static void sorted(double *x, double *y) {
  std::array<double, 30> a;
  for (int i = 0; i < 30; ++i)
    a[i] = std::sin(x[i % 5] * (i + 1));
  std::sort(a.begin(), a.end());
  y[0] = a[3] * 2 + a[17] + a[29] * 3;
  std::vector<std::pair<int, double>> p;
  for (int i = 0; i < 10; ++i)
    p.emplace_back((i * 3) % 10, x[i % 5] * i);
  std::stable_sort(p.begin(), p.end());
  std::rotate(p.begin(), p.begin() + 2, p.end());
  y[1] = p[0].second + 2 * p[5].second + 3 * p[9].second;
  std::nth_element(a.begin(), a.begin() + 10, a.end(), std::greater<>());
  y[2] = a[10] * *std::max_element(a.begin(), a.end());
}
CHECK_NOINLINE static void callables(double *x, double *y) {
  double a = x[0], b = x[1];
  std::function<double(double)> f = [a, &b](double t) { return a * t + b; };
  auto g = f;
  f = [g, c = x[2]](double t) { return g(t) * c; };
  b *= 2;
  y[0] = f(x[3]);
  std::vector<std::function<double()>> list;
  for (int i = 0; i < 5; ++i)
    list.push_back([i, v = std::vector<double>(x, x + i + 1)] {
      return v.back() * v.front() * i;
    });
  y[1] = 0;
  for (auto &h : list)
    y[1] += h();
  auto u = std::make_unique<double>(x[4]);
  auto s = std::make_shared<std::pair<double, double>>(x[0], *u);
  auto t = s;
  t->first *= t->second;
  y[2] = s->first + *u;
}
CHECK_NOINLINE static void sums(double *x, double *y) {
  std::tuple<int, double, float> t(1, x[0], 2.0f);
  std::variant<int, double, std::pair<double, double>> v = x[1];
  y[0] = std::get<1>(t) * std::get<double>(v);
  v = std::pair(x[2], x[3] * 2);
  y[1] = std::visit(
      [](auto &e) -> double {
        if constexpr (requires { e.first; })
          return e.first * e.second;
        else
          return e;
      },
      v);
  v = 3;
  std::valarray<double> a(x, 5), b = a * a + 2.0 * a;
  y[2] = (b * std::exp(-a)).sum() + std::get<int>(v);
}

int main() {
  double x[] = {0.7, -1.3, 0.4, 2.2, 1.1};
  CHECK_TRANSPOSE(vectors, 5, 3, x);
  CHECK_TRANSPOSE(trees, 5, 3, x);
  CHECK_TRANSPOSE(sorted, 5, 3, x);
  CHECK_TRANSPOSE(callables, 5, 3, x);
  CHECK_TRANSPOSE(sums, 5, 3, x);
  return check_status();
}
