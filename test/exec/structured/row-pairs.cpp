//===- row-pairs.cpp - rows that are reversed several at a time -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stencils whose rows add to the row above and below are reversed several rows
// at a time, where rows have nothing else in common: not in place, nor where
// what is written begins again every few cells (there a later row overwrites an
// earlier one), nor from one part of an array to another that overlaps it,
// which only run time knows. Upwards and downwards, with lengths that are known
// and that are not, all small numbers of rows.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "../complex_step.h"

#include <vector>

struct Shape {
  int rows, columns, stride, shift;
};

enum { SIZE = 512, MIDDLE = 160 };

template <class Real> Real weighted(const Real *y) {
  Real sum = 0;
  for (int i = 0; i < SIZE; ++i)
    sum += y[i] * y[i] * (0.5 + 0.25 * (i % 7));
  return sum;
}

/// Rows of `to` and of `from`, that many cells apart.
template <class Real>
void linear(const Real *from, long apart, Real *to, long further, long rows,
            long columns) {
  for (long i = 1; i + 1 < rows; ++i)
    for (long j = 1; j + 1 < columns; ++j) {
      const Real *c = from + i * apart + j;
      to[i * further + j] =
          c[0] + 0.2 * (c[-1] + c[1] + c[-apart] + c[apart] - 4.0 * c[0]);
    }
}

template <class Real>
void bent(const Real *from, long apart, Real *to, long further, long rows,
          long columns) {
  for (long i = rows - 2; i > 0; --i)
    for (long j = 1; j + 1 < columns; ++j) {
      const Real *c = from + i * apart + j;
      to[i * further + j] = c[0] * (c[-apart] - 0.5 * c[apart]) + c[-1] * c[1];
    }
}

/// Two buffers change places.
template <class Real> Real diffusion(Real *x, const Shape *s) {
  std::vector<Real> u(x, x + SIZE), v(u);
  for (int k = 0; k != 3; ++k) {
    linear(u.data(), s->columns, v.data(), s->columns, s->rows, s->columns);
    u.swap(v);
  }
  return weighted(u.data());
}

template <class Real> Real of_ten(Real *x, const Shape *s) {
  std::vector<Real> u(x, x + SIZE), v(u);
  for (int k = 0; k != 3; ++k) {
    linear(u.data(), 10, v.data(), 10, s->rows, 10);
    u.swap(v);
  }
  return weighted(u.data());
}

template <class Real> Real overwritten(Real *x, const Shape *s) {
  std::vector<Real> y(SIZE);
  linear(x, s->columns, y.data(), s->stride, s->rows, s->columns);
  return weighted(y.data());
}

template <class Real> Real overwritten_in_tens(Real *x, const Shape *s) {
  std::vector<Real> y(SIZE);
  linear(x, 16, y.data(), 10, s->rows, 16);
  return weighted(y.data());
}

template <class Real> Real bent_rows(Real *x, const Shape *s) {
  std::vector<Real> y(SIZE);
  bent(x, s->stride, y.data(), s->columns, s->rows, s->columns);
  return weighted(y.data());
}

template <class Real> Real bent_backwards(Real *x, const Shape *s) {
  std::vector<Real> y(SIZE);
  bent(x + MIDDLE, -s->stride, y.data() + MIDDLE, -s->columns, s->rows,
       s->columns);
  return weighted(y.data());
}

template <class Real> Real in_place(Real *x, const Shape *s) {
  std::vector<Real> u(x, x + SIZE);
  linear(u.data(), s->columns, u.data(), s->columns, s->rows, s->columns);
  return weighted(u.data());
}

template <class Real> Real shifted(Real *x, const Shape *s) {
  std::vector<Real> u(x, x + SIZE);
  linear(u.data() + MIDDLE, s->columns, u.data() + MIDDLE + s->shift,
         s->columns, s->rows, s->columns);
  return weighted(u.data());
}

#define CHECK_KERNEL(NAME)                                                     \
  do {                                                                         \
    std::vector<double> d(x.size(), 0.0);                                      \
    __verso_grad_void((void *)NAME<double>, verso_dup, x.data(), d.data(),     \
                      verso_const, &s);                                        \
    std::vector<std::complex<double>> z(x.begin(), x.end());                   \
    const int cells[] = {0,                                                    \
                         1,                                                    \
                         s.columns + 2,                                        \
                         2 * s.columns + 1,                                    \
                         45,                                                   \
                         MIDDLE - s.columns - 1,                               \
                         MIDDLE + 1,                                           \
                         MIDDLE + 2 * s.columns + 3};                          \
    for (int i : cells) {                                                      \
      z[i] = {x[i], 1e-30};                                                    \
      CHECK_CLOSE(d[i], NAME(z.data(), &s).imag() * 1e30, 1e-12);              \
      z[i] = x[i];                                                             \
    }                                                                          \
    Direction(d, x, [&](std::complex<double> *p) { return NAME(p, &s); });     \
  } while (0)

/// All cells at once, by one product.
template <class F>
static void Direction(const std::vector<double> &d,
                      const std::vector<double> &x, F f) {
  std::vector<std::complex<double>> z(x.size());
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double along = 1 + 0.37 * (i % 13);
    z[i] = {x[i], along * 1e-30};
    sum += d[i] * along;
  }
  CHECK_CLOSE(sum, f(z.data()).imag() * 1e30, 1e-12);
}

int main() {
  std::vector<double> x(SIZE);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = 0.4 + 0.05 * (i % 11) - 0.03 * (i % 5);
  for (int rows = 1; rows < 12; ++rows)
    for (int columns : {3, 4, 9, 12}) {
      Shape s{rows, columns, 0, 0};
      CHECK_KERNEL(diffusion);
      CHECK_KERNEL(in_place);
      for (int stride : {0, 1, 2, columns - 3, columns - 2, columns - 1,
                         columns, columns + 3}) {
        s.stride = stride;
        CHECK_KERNEL(overwritten);
        CHECK_KERNEL(bent_rows);
        CHECK_KERNEL(bent_backwards);
      }
      for (int shift : {-1, 1, -2, -columns, columns, -2 * columns - 1,
                        2 * columns + 2, 12 * columns, -12 * columns}) {
        s.shift = shift;
        CHECK_KERNEL(shifted);
      }
      if (columns == 3) {
        CHECK_KERNEL(of_ten);
        CHECK_KERNEL(overwritten_in_tens);
      }
    }
  return check_status();
}
