//===- scatter-loops.cpp - loops whose reverse adds to neighbours ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reversed loops are taken apart, summed in another order and run upwards where
// that changes nothing. Here are loops where it does not, and others that look
// like them: in place, overlapping, strided, downwards, with sums that are read
// on the way; each for all small trip counts and some larger ones.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "../complex_step.h"

#include <vector>

template <class Real> using Kernel = Real (*)(Real *x, int n);

template <class Real> Real weighted(const Real *y, int n) {
  Real sum = 0;
  for (int i = 0; i < n; ++i)
    sum += y[i] * (0.5 + 0.25 * (i % 7));
  return sum;
}

template <class Real> Real stencil(Real *x, int n) {
  std::vector<Real> y(n + 1);
  for (int i = 1; i + 1 < n; ++i)
    y[i] = x[i] + 0.3 * (x[i - 1] * x[i] - x[i + 1] * 0.7);
  return weighted(y.data(), n);
}

template <class Real> Real wide(Real *x, int n) {
  std::vector<Real> y(n + 1);
  for (int i = 3; i < n - 2; ++i)
    y[i] = (x[i + 2] - x[i - 3]) * x[i - 1] - x[i] + x[i + 1];
  return weighted(y.data(), n);
}

template <class Real> Real in_place(Real *x, int n) {
  std::vector<Real> y(x, x + n);
  for (int i = 1; i + 1 < n; ++i)
    y[i] += 0.3 * y[i - 1] * y[i + 1];
  return weighted(y.data(), n);
}

template <class Real> Real downwards(Real *x, int n) {
  std::vector<Real> y(x, x + n);
  for (int i = n - 1; i > 0; --i)
    y[i] = y[i] * y[i - 1] + 0.5 * x[i];
  return weighted(y.data(), n);
}

template <class Real> Real strided(Real *x, int n) {
  std::vector<Real> y(n + 1);
  for (int i = 0; 2 * i + 3 < n; ++i)
    y[i] = x[2 * i] * x[2 * i + 1] + x[2 * i + 3];
  return weighted(y.data(), n);
}

template <class Real>
__attribute__((noinline)) void shift(Real *to, const Real *from, int n) {
  for (int i = 0; i + 2 < n; ++i)
    to[i] = 0.9 * from[i] + 0.2 * from[i + 1] * from[i + 2];
}

/// What looks like two arrays is one.
template <class Real> Real overlapping(Real *x, int n) {
  std::vector<Real> y(x, x + n);
  y.resize(n + 3);
  shift(y.data() + 1, y.data(), n);
  shift(y.data(), y.data() + 1, n);
  return weighted(y.data(), n);
}

template <class Real> Real apart(Real *x, int n) {
  std::vector<Real> y(n + 3), z(n + 3);
  shift(y.data(), x, n);
  shift(z.data(), y.data(), n);
  return weighted(z.data(), n);
}

/// Sums of the reverse into x[j], a value that all iterations of a loop use.
template <class Real> Real broadcast(Real *x, int n) {
  std::vector<Real> y(n + 1);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      y[i] += x[i] * x[j] * 0.125;
  return weighted(y.data(), n);
}

/// The carried value is used by every iteration.
template <class Real> Real carried(Real *x, int n) {
  Real sum = 0, total = 0;
  for (int i = 0; i < n; ++i) {
    sum += x[i] * 0.5;
    total += sum * x[i];
  }
  return total;
}

template <class Real> Real squares(Real *x, int n) {
  std::vector<Real> y(n + 1);
  for (int i = 0; i + 1 < n; ++i) {
    y[i] += x[i] * x[i] + x[i + 1] * x[i + 1] * x[i];
    y[i + 1] += 0.5 * x[i];
  }
  return weighted(y.data(), n);
}

template <class Real> Real twice(Real *x, int n) {
  std::vector<Real> y(x, x + n), z(x, x + n);
  for (int step = 0; step < 3; ++step) {
    for (int i = 1; i + 1 < n; ++i)
      z[i] = y[i] + 0.1 * (y[i - 1] - 2.0 * y[i] + y[i + 1]);
    y.swap(z);
  }
  return weighted(y.data(), n);
}

template <class Real> Real minor_diagonal(Real *x, int n) {
  int m = 0;
  while ((m + 1) * (m + 1) <= n)
    ++m;
  std::vector<Real> y(n + 1);
  for (int i = 1; i < m; ++i)
    for (int j = 1; j < m; ++j)
      y[i * m + j] = x[i * m + j - 1] * x[(i - 1) * m + j] + y[i * m + j - 1];
  return weighted(y.data(), n);
}

#define CHECK_KERNEL(NAME)                                                     \
  do {                                                                         \
    std::vector<double> d(x.size() + 1);                                       \
    __verso_grad_void((void *)NAME<double>, verso_dup, x.data(), d.data(),     \
                      verso_const, n);                                         \
    std::vector<double> exact = complex_step(                                  \
        [&](std::vector<std::complex<double>> z) {                             \
          z.resize(z.size() + 1);                                              \
          return NAME<std::complex<double>>(z.data(), n);                      \
        },                                                                     \
        x);                                                                    \
    for (int i = 0; i < n; ++i)                                                \
      CHECK_CLOSE(d[i], exact[i], 1e-13);                                      \
  } while (0)

int main() {
  for (int n : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 17, 31, 33, 67}) {
    std::vector<double> x(n);
    for (int i = 0; i < n; ++i)
      x[i] = 0.4 + 0.05 * (i % 11) - 0.03 * (i % 5);
    CHECK_KERNEL(stencil);
    CHECK_KERNEL(wide);
    CHECK_KERNEL(in_place);
    CHECK_KERNEL(downwards);
    CHECK_KERNEL(strided);
    CHECK_KERNEL(overlapping);
    CHECK_KERNEL(apart);
    CHECK_KERNEL(broadcast);
    CHECK_KERNEL(carried);
    CHECK_KERNEL(squares);
    CHECK_KERNEL(twice);
    CHECK_KERNEL(minor_diagonal);
  }
  return check_status();
}
