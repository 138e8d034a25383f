//===- sparse-functions.h - functions with sparse derivatives ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the programs sparse-*.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSE_FUNCTIONS_H
#define SPARSE_FUNCTIONS_H

#include "verso/verso.hpp"

using Vector = std::vector<double>;

inline int runs;

inline Vector point(std::size_t n) {
  Vector x(n);
  for (std::size_t i = 0; i != n; ++i)
    x[i] = 0.5 + 0.3 * std::sin(1.7 * double(i));
  return x;
}
inline double sum(const Vector &x) {
  double s = 0;
  for (double v : x)
    s += v * v;
  return s;
}

/// Burgers' equation u_t = nu u_xx - u u_x in space, u = 0 at the ends.
inline Vector burgers(const Vector &u) {
  ++runs;
  const std::size_t n = u.size();
  const double h = 0.5;
  Vector dudt(n);
  for (std::size_t i = 0; i != n; ++i) {
    const double left = i ? u[i - 1] : 0, right = i + 1 < n ? u[i + 1] : 0;
    dudt[i] =
        (left - 2 * u[i] + right) / (h * h) - u[i] * (right - left) / (2 * h);
  }
  return dudt;
}

/// A full first row, a full first column, and a diagonal.
inline Vector arrow(const Vector &x) {
  ++runs;
  Vector y{sum(x)};
  for (std::size_t i = 1; i < x.size(); ++i)
    y.push_back(x[i] * x[i] + x[0] * 3);
  return y;
}

/// Steps in time: each number depends on more and more neighbours, and all that
/// lies between is used again by the next ones.
inline Vector steps(const Vector &x) {
  ++runs;
  const std::size_t n = x.size();
  Vector u = x, next(n);
  for (int t = 0; t != 10; ++t) {
    for (std::size_t i = 0; i != n; ++i) {
      const double left = i ? u[i - 1] : 0, right = i + 1 < n ? u[i + 1] : 0;
      next[i] = u[i] + 0.1 * u[i] * (left + right);
    }
    std::swap(u, next);
  }
  return u;
}

/// The K-th of three places of row i, without an order to be seen.
inline std::size_t place(std::size_t i, std::size_t k, std::size_t n) {
  std::uint64_t z = (3 * i + k + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  return (z ^ (z >> 27)) % n;
}
inline Vector scattered(const Vector &x) {
  ++runs;
  const std::size_t n = x.size();
  Vector y(n);
  for (std::size_t i = 0; i != n; ++i) {
    y[i] = 1;
    for (std::size_t k = 0; k != 3; ++k)
      y[i] *= x[place(i, k, n)] + 2;
  }
  return y;
}

/// Sums of terms in neighbours: a band.
inline double chain(const Vector &x) {
  double s = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i)
    s += x[i] * x[i] * std::sin(x[i + 1]);
  return s;
}
/// Every term has x[0].
inline double hub(const Vector &x) {
  double s = 0;
  for (std::size_t i = 1; i < x.size(); ++i)
    s += x[i] * x[i] * x[0];
  return s;
}
/// Terms in two numbers anywhere.
inline double pairs(const Vector &x) {
  const std::size_t n = x.size();
  double s = 0;
  for (std::size_t i = 0; i != n; ++i)
    s += std::exp(x[i] * x[place(i, 0, n)]);
  return s;
}

#endif // SPARSE_FUNCTIONS_H
