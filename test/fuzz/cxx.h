//===- cxx.h - what functions of nests.py --cxx call -------------*- C++
//-*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "nests.h"

struct Shape {
  double scale = 0.7;
  virtual ~Shape() = default;
  virtual double area(double u, double v) const = 0;
  virtual void grow(double by) { scale = sq(scale + by); }
};
struct Round : Shape {
  double area(double u, double v) const override {
    return scale * u * u + sin(v);
  }
};
struct Flat : Shape {
  double other = 0.4;
  double area(double u, double v) const override {
    return u * v * other - scale;
  }
  void grow(double by) override { other *= cos(by); }
};

struct Failure {
  double value;
};
NOINLINE static double risky(double u, double v) {
  if (u > 0.6131)
    throw u * v;
  if (v < -0.7119)
    throw Failure{u - v};
  return sq(u * v);
}
/// Writes when its scope ends, also by an exception.
struct Holder {
  double value, *to;
  ~Holder() { *to += 0.5 * sq(value); }
};

template <int N> static double power(double u) {
  if constexpr (N == 0)
    return 1;
  else
    return sq(u) * power<N - 1>(u);
}
template <int N> NOINLINE static double chain(double *p, double u) {
  if constexpr (N == 0)
    return u;
  else
    return p[N - 1] = sq(p[N] * chain<N - 1>(p, u) + u);
}
template <typename... T> static double sum(T... u) { return (sin(u) + ...); }

template <int N> struct Vec {
  double e[N] = {};
  friend Vec operator+(Vec u, const Vec &v) {
    for (int i = 0; i < N; ++i)
      u.e[i] += v.e[i];
    return u;
  }
  friend Vec operator*(Vec u, double by) {
    for (double &e : u.e)
      e *= by;
    return u;
  }
  double dot(const Vec &v) const {
    double s = 0;
    for (int i = 0; i < N; ++i)
      s += e[i] * v.e[i];
    return s;
  }
};
NOINLINE static Vec<3> mix(Vec<3> u, double by) {
  std::swap(u.e[0], u.e[2]);
  return u * by + Vec<3>{{by, u.e[1], 0.5}};
}
NOINLINE static std::pair<double, double> pair(double u, double v) {
  return {u * v, u - sin(v)};
}
