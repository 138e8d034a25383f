//===- common-cells.cpp - rows that all add to the same cells -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products of a matrix and a vector are reversed several rows at a time, since
// all rows add to the vector's adjoint; each row reads and clears cells of its
// own, or adds up one in a register. Not so if a row reads what an earlier one
// stored, stores over it, or adds to a cell of the row behind: which parts of
// one array these are, only run time knows. Upwards and downwards, all small
// numbers of rows.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "../complex_step.h"

#include <vector>

/// Where matrix, vector and product begin, and how far rows and components of
/// the product are apart.
struct Shape {
  long rows, columns, matrix, vector, product, stride, step;
};

enum { SIZE = 260 };

template <class Real> Real weighted(const Real *y) {
  Real sum = 0;
  for (int i = 0; i < SIZE; ++i)
    sum += y[i] * y[i] * (0.5 + 0.25 * (i % 7));
  return sum;
}

template <class Real>
void multiply(const Real *a, const Real *x, Real *y, Shape s) {
  if (s.columns < 1)
    return;
  for (long i = 0; i < s.rows; ++i) {
    Real sum = 0.25;
    for (long j = 0; j < s.columns; ++j)
      sum += a[i * s.stride + j] * x[j];
    y[i * s.step] = sum;
  }
}

/// Downwards, bent, and what was there counts.
template <class Real>
void fold(const Real *a, const Real *x, Real *y, Shape s) {
  if (s.columns < 1)
    return;
  for (long i = s.rows - 1; i >= 0; --i) {
    Real sum = y[i * s.step];
    for (long j = 0; j < s.columns; ++j)
      sum += a[i * s.stride + j] * x[j] * x[j];
    y[i * s.step] = sum * 0.5;
  }
}

/// Each row is scaled by a cell, which is added to then.
template <class Real> void scale(Real *a, Real *x, const Real *y, Shape s) {
  if (s.columns < 1)
    return;
  for (long i = 0; i < s.rows; ++i) {
    const Real by = y[i * s.step];
    for (long j = 0; j < s.columns; ++j)
      a[i * s.stride + j] = by * x[j];
  }
}

/// Rows are added up; the reverse of each is a sum of its own.
template <class Real>
void combine(const Real *a, Real *x, const Real *y, Shape s) {
  if (s.columns < 1)
    return;
  for (long i = 0; i < s.rows; ++i)
    for (long j = 0; j < s.columns; ++j)
      x[j] += y[i * s.step] * a[i * s.stride + j];
}

/// Parts of one array.
template <class Real> Real parts(Real *x, const Shape *s) {
  std::vector<Real> u(x, x + SIZE);
  Real *p = u.data();
  multiply(p + s->matrix, p + s->vector, p + s->product, *s);
  return weighted(p);
}
template <class Real> Real parts_downwards(Real *x, const Shape *s) {
  std::vector<Real> u(x, x + SIZE);
  Real *p = u.data();
  fold(p + s->matrix, p + s->vector, p + s->product, *s);
  return weighted(p);
}
template <class Real> Real parts_scaled(Real *x, const Shape *s) {
  std::vector<Real> u(x, x + SIZE);
  Real *p = u.data();
  scale(p + s->matrix, p + s->vector, p + s->product, *s);
  return weighted(p);
}
template <class Real> Real parts_combined(Real *x, const Shape *s) {
  std::vector<Real> u(x, x + SIZE);
  Real *p = u.data();
  combine(p + s->matrix, p + s->vector, p + s->product, *s);
  return weighted(p);
}

/// Arrays of their own.
template <class Real> Real apart(Real *x, const Shape *s) {
  std::vector<Real> y(SIZE);
  multiply(x + s->matrix, x + s->vector, y.data(), *s);
  fold(x + s->matrix, y.data(), y.data() + SIZE / 2, *s);
  combine(x + s->matrix, y.data(), x + s->product, *s);
  return weighted(y.data());
}

/// Twice, so that adjoints are there before.
template <class Real> Real again(Real *x, const Shape *s) {
  std::vector<Real> y(SIZE);
  multiply(x + s->matrix, x + s->vector, y.data(), *s);
  Real sum = weighted(y.data());
  scale(x + s->matrix, y.data(), x + s->product, *s);
  multiply(x + s->matrix, x + s->vector, y.data(), *s);
  return sum + weighted(y.data()) + weighted(x);
}

#define CHECK_KERNEL(NAME)                                                     \
  do {                                                                         \
    std::vector<double> p(x), d(x.size(), 0.0);                                \
    __verso_grad_void((void *)NAME<double>, verso_dup, p.data(), d.data(),     \
                      verso_const, &s);                                        \
    for (int way = 0; way != 3; ++way) {                                       \
      std::vector<std::complex<double>> z(x.size());                           \
      double sum = 0;                                                          \
      for (size_t i = 0; i < x.size(); ++i) {                                  \
        double along = 1 + 0.37 * (i % 13) * way - 0.9 * (i % (5 + way));      \
        z[i] = {x[i], along * 1e-30};                                          \
        sum += d[i] * along;                                                   \
      }                                                                        \
      CHECK_CLOSE(sum, NAME(z.data(), &s).imag() * 1e30, 1e-11);               \
    }                                                                          \
  } while (0)

int main() {
  std::vector<double> x(SIZE);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = 0.1 + 0.05 * (i % 11) - 0.03 * (i % 5);
  for (long rows = 0; rows < 8; ++rows)
    for (long columns : {0, 1, 4, 9})
      for (long stride : {columns, columns + 2, columns - 1, 1L, 0L})
        for (long step : {1, 2, 0}) {
          Shape s{rows, columns, 0, 100, 120, stride, step};
          CHECK_KERNEL(parts);
          CHECK_KERNEL(parts_downwards);
          CHECK_KERNEL(parts_scaled);
          CHECK_KERNEL(parts_combined);
          CHECK_KERNEL(apart);
          CHECK_KERNEL(again);
          // The product over the vector, the vector over the matrix, the
          // matrix over the product.
          for (long shift : {-3, -1, 0, 1, 2, 6}) {
            s = {rows, columns, 0, 100, 100 + shift, stride, step};
            CHECK_KERNEL(parts);
            CHECK_KERNEL(parts_downwards);
            CHECK_KERNEL(parts_scaled);
            CHECK_KERNEL(parts_combined);
            s = {rows, columns, 100, 100 + shift, 200, stride, step};
            CHECK_KERNEL(parts);
            CHECK_KERNEL(parts_downwards);
            CHECK_KERNEL(parts_scaled);
            CHECK_KERNEL(parts_combined);
            CHECK_KERNEL(apart);
            s = {rows, columns, 100, 10, 100 + shift, stride, step};
            CHECK_KERNEL(parts);
            CHECK_KERNEL(parts_downwards);
            CHECK_KERNEL(parts_scaled);
            CHECK_KERNEL(parts_combined);
            CHECK_KERNEL(again);
          }
        }
  return check_status();
}
