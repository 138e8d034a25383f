//===- travelling-sums.cpp - sums that go from iteration to iteration -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cells that several iterations add to, a constant number of iterations apart:
// with gaps between them (which a short loop never comes to), strided, far
// apart, in several rows, downwards, of floats, and with more sums than
// registers; each for all small trip counts. No infinite seed reaches a cell
// that it has nothing to do with.
//
// UNCHECKED: some seeds are infinite
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "../complex_step.h"

#include <limits>
#include <vector>

template <class Real> Real weighted(const Real *y, int n) {
  Real sum = 0;
  for (int i = 0; i < n; ++i)
    sum += y[i] * (0.5 + 0.25 * (i % 7));
  return sum;
}

template <class Real> Real gaps(Real *x, int n) {
  std::vector<Real> y(n + 1);
  for (int i = 3; i + 4 < n; ++i)
    y[i] = x[i - 3] * x[i + 4] + 0.3 * x[i + 1];
  return weighted(y.data(), n);
}

template <class Real> Real strided(Real *x, int n) {
  std::vector<Real> y(n + 1);
  for (int i = 0; 3 * i + 7 < n; ++i)
    y[i] = x[3 * i] * x[3 * i + 6] - x[3 * i + 1] * x[3 * i + 4] + x[3 * i + 7];
  return weighted(y.data(), n);
}

template <class Real> Real far(Real *x, int n) {
  std::vector<Real> y(n + 1);
  for (int i = 0; i + 25 < n; ++i)
    y[i] = x[i] * x[i + 1] + x[i + 12] * x[i + 11] * 0.5 - x[i + 25];
  return weighted(y.data(), n);
}

template <class Real> Real downwards(Real *x, int n) {
  std::vector<Real> y(n + 1);
  for (int i = n - 2; i > 1; --i)
    y[i] = x[i - 2] * x[i + 1] + 0.4 * x[i] * x[i];
  return weighted(y.data(), n);
}

template <class Real> Real twice(Real *x, int n) {
  std::vector<Real> y(n + 1), z(n + 1);
  for (int i = 0; i + 2 < n; ++i) {
    y[i] = x[i] * x[i + 2];
    z[i] = x[i + 1] - x[i] * 0.25;
  }
  for (int i = 1; i < n; ++i)
    y[i] += z[i - 1] * z[i];
  return weighted(y.data(), n);
}

/// The same amount each time.
template <class Real> Real constants(Real *x, int n) {
  Real sum = 0;
  for (int i = 0; i + 2 < n; ++i)
    sum += x[i] + 3.0 * x[i + 1] - x[i + 2];
  return sum;
}

/// Filter and image, so that there are more sums than registers.
template <class Real> Real convolution(Real *x, int n) {
  constexpr int Width = 5;
  if (n < 25 + 36)
    return 0;
  int rows = 6, columns = (n - 25) / rows;
  const Real *filter = x + rows * columns;
  std::vector<Real> y(n);
  Real sum = 0;
  for (int r = 0; r + Width <= rows; ++r)
    for (int c = 0; c + Width <= columns; ++c) {
      Real s = 0;
      for (int i = 0; i < Width; ++i)
        for (int j = 0; j < Width; ++j)
          s += filter[i * Width + j] * x[(r + i) * columns + c + j];
      y[r * columns + c] = s;
    }
  return weighted(y.data(), n);
}

template <class Real> Real rows(Real *x, int n) {
  constexpr int Columns = 16;
  std::vector<Real> y(n + 1);
  for (int i = 1; (i + 2) * Columns <= n; ++i)
    for (int j = 1; j + 1 < Columns; ++j) {
      Real *c = x + i * Columns + j;
      y[i * Columns + j] =
          c[0] * (c[-1] + c[1]) + 0.2 * c[-Columns] * c[Columns];
    }
  return weighted(y.data(), n);
}

/// Cells that are read, cleared and added to: up, if the parts are apart.
template <class Real> Real butterflies(Real *x, int n) {
  Real total = 0;
  for (int width = 0; width < 12; width += 1 + width / 3) {
    std::vector<Real> y(x, x + n);
    for (int start = 0; start + 2 * width < n; start += width + 5)
      for (int i = start; i < start + width + width / 2 && i + width < n; ++i) {
        Real t = 0.3 * y[i + width] * x[i];
        y[i + width] = y[i] - t;
        y[i] = y[i] + t;
      }
    total += weighted(y.data(), n);
  }
  return total;
}

template <class Real> Real halves(Real *x, int n) {
  std::vector<Real> y(x, x + n);
  for (int half = 1; half < n; half *= 2)
    for (int start = 0; start + 2 * half <= n; start += 2 * half)
      for (int k = 0; k < half; ++k) {
        int i = start + k, j = i + half;
        Real t = y[j] * (0.2 + 0.01 * k);
        y[j] = y[i] - t;
        y[i] = y[i] + t;
      }
  return weighted(y.data(), n);
}

/// n sums over one loop.
template <class Real> Real many(Real *x, int n) {
  constexpr int Sums = 20;
  if (n < Sums)
    return 0;
  Real total = 0;
  for (int i = 0; i < n; ++i) {
    Real y = 0;
    for (int k = 0; k < Sums; ++k)
      y += x[k] * (0.1 * k + 0.01 * i);
    total += y * y * 0.01;
  }
  return total;
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
    for (int i = 0; i <= n; ++i)                                               \
      CHECK_CLOSE(d[i], i < n ? exact[i] : 0.0, 1e-13);                        \
  } while (0)

static void sums(const double *x, double *y, int n) {
  for (int i = 1; i + 1 < n; ++i)
    y[i] = 2 * x[i - 1] + 3 * x[i] + 5 * x[i + 1];
}

static void floats(const float *x, float *y, int n) {
  for (int i = 0; i + 3 < n; ++i)
    y[i] = x[i] * x[i + 3] + x[i + 1];
}

int main() {
  for (int n = 0; n < 96; ++n) {
    std::vector<double> x(n);
    for (int i = 0; i < n; ++i)
      x[i] = 0.4 + 0.05 * (i % 11) - 0.03 * (i % 5);
    CHECK_KERNEL(gaps);
    CHECK_KERNEL(strided);
    CHECK_KERNEL(far);
    CHECK_KERNEL(downwards);
    CHECK_KERNEL(twice);
    CHECK_KERNEL(constants);
    CHECK_KERNEL(convolution);
    CHECK_KERNEL(rows);
    CHECK_KERNEL(butterflies);
    CHECK_KERNEL(halves);
    CHECK_KERNEL(many);

    std::vector<float> xf(x.begin(), x.end()), yf(n), dxf(n), dyf(n, 1);
    __verso_vjp_void((void *)floats, verso_dup, xf.data(), dxf.data(),
                     verso_dup, yf.data(), dyf.data(), verso_const, n);
    for (int i = 0; i < n; ++i) {
      float expected = 0;
      if (i + 3 < n)
        expected += xf[i + 3];
      if (i >= 1 && i + 2 < n)
        expected += 1;
      if (i >= 3)
        expected += xf[i - 3];
      CHECK_CLOSE(dxf[i], expected, 1e-6);
    }

    // One infinite seed, and a NaN.
    for (int k = 1; k + 1 < n; k += 3)
      for (double seed : {std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::quiet_NaN()}) {
        std::vector<double> y(n), dx(n, 0.125), dy(n, 1);
        dy[k] = seed;
        __verso_vjp_void((void *)sums, verso_dup, x.data(), dx.data(),
                         verso_dup, y.data(), dy.data(), verso_const, n);
        for (int i = 0; i < n; ++i) {
          double expected = 0.125;
          for (int j = 1; j + 1 < n; ++j)
            if (std::abs(i - j) <= 1 && j != k)
              expected += i < j ? 2 : i == j ? 3 : 5;
          if (std::abs(i - k) > 1)
            CHECK_CLOSE(dx[i], expected, 0);
          else
            CHECK(std::isnan(seed) ? std::isnan(dx[i]) : dx[i] == seed);
        }
        CHECK(n < 1 || dy[0] == 1);
      }
  }
  return check_status();
}
