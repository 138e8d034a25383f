//===- rows-apart.cpp - rows that a check tells apart, and their edges ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Grids whose rows are as long as the caller says: additions to a row, the one
// above and the one below are told apart when the reversed loop is entered. On
// grids that go round, where one and two rows are their own neighbours and one
// column is its own; of rows that overlap; with buffers that change places, in
// loops that are unrolled; with a neighbour chosen at a column that may be any,
// at an edge of a 32-bit number, and downwards. All small sizes.
//
// UNCHECKED: some seeds are infinite
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "../complex_step.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

struct Shape {
  int rows, columns, stride;
};

template <class Real> Real weighted(const Real *y, int n) {
  Real sum = 0;
  for (int i = 0; i < n; ++i)
    sum += y[i] * y[i] * (0.5 + 0.25 * (i % 7));
  return sum;
}

/// One step on a grid that goes round.
template <class Real>
void step(const Real *u, Real *v, size_t rows, size_t columns) {
  for (size_t i = 0; i != rows; ++i) {
    size_t up = (i == 0 ? rows - 1 : i - 1) * columns;
    size_t down = (i + 1 == rows ? 0 : i + 1) * columns;
    for (size_t j = 0; j != columns; ++j) {
      size_t at = i * columns + j;
      size_t left = i * columns + (j == 0 ? columns - 1 : j - 1);
      size_t right = i * columns + (j + 1 == columns ? 0 : j + 1);
      v[at] = u[at] * u[at] * 0.25 + 0.1 * u[up + j] * u[left] +
              0.2 * u[down + j] - 0.3 * u[right];
    }
  }
}

template <class Real> Real round(Real *x, const Shape *s) {
  std::vector<Real> y(s->rows * s->columns);
  step(x, y.data(), s->rows, s->columns);
  return weighted(y.data(), int(y.size()));
}

template <class Real> Real changing_places(Real *x, const Shape *s) {
  std::vector<Real> u(x, x + s->rows * s->columns), v(u.size());
  for (int k = 0; k != 5; ++k) {
    step(u.data(), v.data(), s->rows, s->columns);
    u.swap(v);
  }
  return weighted(u.data(), int(u.size()));
}

/// Small enough to be unrolled altogether.
template <class Real> Real unrolled(Real *x, const Shape *s) {
  std::vector<Real> u(x, x + s->rows * 4), v(u.size());
  for (int k = 0; k != 2; ++k) {
    step(u.data(), v.data(), s->rows, 4);
    step(v.data(), u.data(), s->rows, 4);
  }
  return weighted(u.data(), int(u.size()));
}

/// Rows begin every `stride` cells, so they may overlap, or be one.
template <class Real> Real overlapping(Real *x, const Shape *s) {
  std::vector<Real> y(s->rows * s->columns);
  for (int i = 1; i + 1 < s->rows; ++i)
    for (int j = 1; j + 1 < s->columns; ++j) {
      Real *c = x + i * s->stride + j;
      y[i * s->columns + j] =
          c[0] * (c[-1] + c[1]) + 0.3 * c[-s->stride] * c[s->stride];
    }
  return weighted(y.data(), int(y.size()));
}

/// In the same rows, as numbers of 32 bits.
template <class Real> Real narrow(Real *x, const Shape *s) {
  std::vector<Real> y(s->rows * s->columns);
  for (unsigned i = 0; i < unsigned(s->rows); ++i)
    for (unsigned j = 0, n = s->columns; j < n; ++j)
      y[i * n + j] = x[i * s->stride + (j == 0 ? n - 1 : j - 1)] * x[j] +
                     x[i * s->stride + (j == n - 1 ? 0 : j + 1)];
  return weighted(y.data(), int(y.size()));
}

/// The column with another neighbour is any, or none.
template <class Real> Real somewhere(Real *x, const Shape *s) {
  std::vector<Real> y(s->rows * s->columns);
  for (int i = 1; i < s->rows; ++i)
    for (int j = 1; j < s->columns; ++j)
      y[i * s->columns + j] = x[i * s->stride + (j == s->stride ? 0 : j - 1)] *
                                  x[i * s->stride + j] -
                              x[(i - 1) * s->stride + j];
  return weighted(y.data(), int(y.size()));
}

template <class Real> Real downwards(Real *x, const Shape *s) {
  std::vector<Real> y(s->rows * s->columns);
  for (int i = s->rows - 1; i >= 0; --i)
    for (int j = s->columns - 1; j >= 0; --j) {
      int left = j == 0 ? s->columns - 1 : j - 1;
      int above = i == 0 ? s->rows - 1 : i - 1;
      y[i * s->columns + j] = x[i * s->stride + left] * x[i * s->stride + j] +
                              0.5 * x[above * s->stride + j];
    }
  return weighted(y.data(), int(y.size()));
}

/// Real and imaginary parts beside one another; the last is used behind the
/// loop.
template <class Real> Real pairs(Real *x, const Shape *s) {
  int n = s->columns / 2;
  std::vector<Real> y(2 * s->rows * (n + 1));
  Real last = 0;
  for (int i = 0; i + 1 < s->rows; ++i)
    for (int j = 0; j < n; ++j) {
      const Real *c = x + i * s->stride + 2 * j,
                 *l = x + i * s->stride + 2 * (j == 0 ? n - 1 : j - 1);
      Real re = c[0] * l[0] - c[1] * l[1], im = c[0] * l[1] + c[1] * l[0];
      y[2 * (i * n + j)] = re + c[s->stride];
      y[2 * (i * n + j) + 1] = last = im * c[s->stride + 1];
    }
  return weighted(y.data(), int(y.size())) + last;
}

#define CHECK_KERNEL(NAME)                                                     \
  do {                                                                         \
    std::vector<double> d(x.size(), 0.0);                                      \
    __verso_grad_void((void *)NAME<double>, verso_dup, x.data(), d.data(),     \
                      verso_const, &s);                                        \
    std::vector<double> exact = complex_step(                                  \
        [&](std::vector<std::complex<double>> z) {                             \
          return NAME<std::complex<double>>(z.data(), &s);                     \
        },                                                                     \
        x);                                                                    \
    for (size_t i = 0; i < x.size(); ++i)                                      \
      CHECK_CLOSE(d[i], exact[i], 1e-12);                                      \
  } while (0)

/// Where u, v and their shadows are the caller's, an infinite seed reaches the
/// five cells that it has to do with, and no other.
static void linear(const double *u, double *v, const Shape *s) {
  for (int i = 0; i < s->rows; ++i)
    for (int j = 0; j < s->columns; ++j) {
      int up = i == 0 ? s->rows - 1 : i - 1;
      int left = j == 0 ? s->columns - 1 : j - 1;
      v[i * s->columns + j] = 2 * u[i * s->columns + j] +
                              3 * u[up * s->columns + j] +
                              5 * u[i * s->columns + left];
    }
}

static void check_infinite(const Shape &s) {
  const int n = s.rows * s.columns;
  std::vector<double> u(n, 0.5), v(n);
  for (int k = 0; k < n; k += 4) {
    std::vector<double> du(n, 0.125), dv(n, 1.0), expected(n, 0.125);
    dv[k] = std::numeric_limits<double>::infinity();
    for (int i = 0; i < s.rows; ++i)
      for (int j = 0; j < s.columns; ++j) {
        double seed = dv[i * s.columns + j];
        int up = i == 0 ? s.rows - 1 : i - 1;
        int left = j == 0 ? s.columns - 1 : j - 1;
        expected[i * s.columns + j] += 2 * seed;
        expected[up * s.columns + j] += 3 * seed;
        expected[i * s.columns + left] += 5 * seed;
      }
    __verso_vjp_void((void *)linear, verso_dup, u.data(), du.data(), verso_dup,
                     v.data(), dv.data(), verso_const, &s);
    for (int i = 0; i < n; ++i)
      CHECK(du[i] == expected[i]);
  }
}

int main() {
  for (int rows = 0; rows < 6; ++rows)
    for (int columns = 0; columns < 12; ++columns) {
      Shape s{rows, columns, columns};
      std::vector<double> x(rows * std::max(columns, 4) + 64);
      for (size_t i = 0; i < x.size(); ++i)
        x[i] = 0.4 + 0.05 * (i % 11) - 0.03 * (i % 5);
      CHECK_KERNEL(round);
      CHECK_KERNEL(changing_places);
      if (columns == 4)
        CHECK_KERNEL(unrolled);
      for (int stride : {0, 1, 2, columns - 1, columns, columns + 3}) {
        if (stride < 0)
          continue;
        s.stride = stride;
        CHECK_KERNEL(overlapping);
        CHECK_KERNEL(narrow);
        CHECK_KERNEL(somewhere);
        CHECK_KERNEL(downwards);
        CHECK_KERNEL(pairs);
      }
      check_infinite(s);
    }
  return check_status();
}
