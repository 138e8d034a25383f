//===- templates.cpp - generic numeric code against the complex step ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same template, once for double and differentiated by Verso, once for
// complex numbers: equal to rounding. Includes a fixed-size matrix class with
// operators, a recursive template, and code that is selected by `if constexpr`.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "../complex_step.h"
#include <array>
#include <type_traits>

template <class T, int N> struct Matrix {
  std::array<std::array<T, N>, N> a{};
  Matrix operator*(const Matrix &o) const {
    Matrix r;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j)
        for (int k = 0; k < N; ++k)
          r.a[i][j] += a[i][k] * o.a[k][j];
    return r;
  }
  Matrix operator+(const Matrix &o) const {
    Matrix r;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j)
        r.a[i][j] = a[i][j] + o.a[i][j];
    return r;
  }
};
template <int P, class T> static T power(const T &x) {
  if constexpr (P == 0)
    return T(1.0);
  else if constexpr (P % 2 == 1)
    return x * power<P - 1>(x);
  else {
    T half = power<P / 2>(x);
    return half * half;
  }
}
template <class T> static T evaluate(const T *x) {
  using std::exp;
  using std::sin;
  using std::sqrt;
  Matrix<T, 3> m, n;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      m.a[i][j] = x[i] * x[j + 3];
      n.a[i][j] = sin(x[i]) + x[j] / (x[3 + i] * x[3 + i] + 1.0);
    }
  Matrix<T, 3> r = m * n + n * m;
  T sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += sqrt(r.a[i][i] * r.a[i][i] + 2.0) * exp(-x[i]);
  return sum + power<7>(x[5]);
}
CHECK_NOINLINE static double value(const double *x) { return evaluate(x); }

int main() {
  std::vector<double> x{0.5, -0.25, 1.5, 0.75, 1.25, -0.5};
  double dx[6] = {};
  __verso_grad_void((void *)value, verso_dup, x.data(), dx);
  auto expected = complex_step(
      [](const std::vector<std::complex<double>> &z) {
        return evaluate(z.data());
      },
      x);
  for (std::size_t i = 0; i < x.size(); ++i)
    CHECK_CLOSE(dx[i], expected[i], 1e-13);
  return check_status();
}
