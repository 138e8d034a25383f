//===- sums-abreast.cpp - sums in order, four at a time -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of four iterations are added up side by side where none of them reads
// what another one stores: triangular and rectangular loops, upwards and
// downwards, with and without a condition, of all small lengths. What is
// stored may meet what the next sums read, which only run time knows, in the
// row, in the vector, or in what they begin with; a store may come before the
// sum, and behind a condition. Values are those of the program to the last bit.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "../complex_step.h"

#include <cmath>
#include <cstring>
#include <vector>

struct Shape {
  long n, m, stride, shift;
};

enum { SIZE = 1600, MIDDLE = 800 };

template <class Real> Real weighted(const Real *y) {
  Real sum = 0;
  for (int i = 0; i < SIZE; ++i)
    sum += y[i] * y[i] * (0.5 + 0.25 * (i % 7));
  return sum;
}

/// Each row needs the ones before, each cell those before it.
template <class Real> void factor(const Real *a, Real *l, const Shape *s) {
  using std::sqrt;
  for (long i = 0; i < s->n; ++i)
    for (long j = 0; j <= i; ++j) {
      Real sum = a[i * s->m + j];
      for (long k = 0; k < j; ++k)
        sum -= l[i * s->m + k] * l[j * s->m + k];
      if (i == j)
        l[i * s->m + i] = sqrt(sum * sum + 3.0);
      else
        l[i * s->m + j] = sum / l[j * s->m + j];
    }
}

/// The rows overlap for all that is known.
template <class Real> void overlapping(const Real *a, Real *l, const Shape *s) {
  for (long i = 0; i < s->n; ++i)
    for (long j = 0; j <= i; ++j) {
      Real sum = a[i * s->m + j];
      for (long k = 0; k < j; ++k)
        sum -= 0.05 * l[i * s->stride + k] * l[j * s->stride + k];
      l[i * s->stride + j + s->shift] = sum;
    }
}

/// In memory of its own.
template <class Real> void solve(const Real *a, Real *y, const Shape *s) {
  const long n = s->n, m = s->m;
  Real x[SIZE] = {};
  for (long i = 0; i < n; ++i) {
    Real sum = y[i];
    for (long k = 0; k < i; ++k)
      sum -= 0.1 * a[i * m + k] * x[k];
    x[i] = sum / (2.0 + a[i * m + i]);
  }
  for (long i = 0; i < n; ++i)
    y[SIZE - 1 - i] = x[i];
}

/// Which of y is read begins with `shift`: nothing, the sums' own or others.
template <class Real> void products(const Real *a, Real *y, const Shape *s) {
  const long n = s->n, m = s->m, stride = s->stride, shift = s->shift;
  for (long i = 0; i < n; ++i) {
    Real sum = y[MIDDLE + i * stride];
    for (long k = 0; k < m; ++k)
      sum += 0.05 * a[i * m + k] * y[MIDDLE + shift + k];
    y[MIDDLE + i] = sum;
  }
}

/// The sums run down, their length is constant, and something is stored first.
template <class Real> void downwards(const Real *a, Real *y, const Shape *s) {
  const long n = s->n, stride = s->stride, shift = s->shift;
  Real x[2 * MIDDLE];
  for (long i = 0; i < 2 * MIDDLE; ++i)
    x[i] = y[i];
  for (long i = n - 1; i >= 0; --i) {
    x[MIDDLE + i + shift] *= 0.5;
    Real sum = 0.25, last = 1;
    for (long k = 83; k >= 0; --k) {
      sum = sum * 0.9 + a[i * 24 + k] * x[MIDDLE + k];
      last = 0.5 * last + sum;
    }
    x[MIDDLE + i * stride] += 0.1 * sum - 0.1 * last;
  }
  for (long i = 0; i < 2 * MIDDLE; ++i)
    y[i] = x[i];
}

/// Rows that have no sum, and stores that are not always made, whose address
/// is in front of the array where they are not.
template <class Real> void some(const Real *a, Real *y, const Shape *s) {
  const long n = s->n, m = s->m, stride = s->stride, shift = s->shift;
  for (long i = 0; i < n; ++i) {
    Real sum = a[i];
    if ((i & 7) != (shift & 7))
      for (long k = 0; k < m; ++k)
        sum += 0.1 * a[k] * y[MIDDLE + k];
    if (i > 2)
      y[MIDDLE + shift + (i - 3) * stride] = sum;
    else
      y[i] = sum;
  }
}

#define CHECK_KERNEL(NAME)                                                     \
  do {                                                                         \
    std::vector<double> d(a.size(), 0.0), e(a.size(), 0.0), y(b), x(b);        \
    __verso_grad_void((void *)NAME##_sum<double>, verso_dup, a.data(),         \
                      d.data(), verso_dup, y.data(), e.data(), verso_const,    \
                      &s);                                                     \
    NAME##_sum(a.data(), x.data(), &s);                                        \
    CHECK(!std::memcmp(y.data(), x.data(), SIZE * sizeof(double)));            \
    std::vector<std::complex<double>> v(SIZE), w(SIZE);                        \
    double sum = 0;                                                            \
    for (int i = 0; i < SIZE; ++i) {                                           \
      double along = 1 + 0.37 * (i % 13);                                      \
      v[i] = {a[i], along * 1e-30};                                            \
      w[i] = {b[i], along * 0.5e-30};                                          \
      sum += d[i] * along + e[i] * 0.5 * along;                                \
    }                                                                          \
    CHECK_CLOSE(sum, NAME##_sum(v.data(), w.data(), &s).imag() * 1e30, 1e-11); \
    int probe = (int)((s.n * 7 + s.m * 3 + s.stride + s.shift) % 40);          \
    if (probe < 0)                                                             \
      probe += 40;                                                             \
    for (int i = 0; i < SIZE; ++i) {                                           \
      v[i] = {a[i], i == probe ? 1e-30 : 0.0};                                 \
      w[i] = b[i];                                                             \
    }                                                                          \
    CHECK_CLOSE(d[probe], NAME##_sum(v.data(), w.data(), &s).imag() * 1e30,    \
                1e-11);                                                        \
  } while (0)

#define SUM(NAME)                                                              \
  template <class Real>                                                        \
  Real NAME##_sum(const Real *a, Real *y, const Shape *s) {                    \
    NAME(a, y, s);                                                             \
    return weighted(y);                                                        \
  }

SUM(factor)
SUM(overlapping)
SUM(solve)
SUM(products)
SUM(downwards)
SUM(some)

int main() {
  std::vector<double> a(SIZE), b(SIZE);
  for (int i = 0; i < SIZE; ++i) {
    a[i] = 0.4 + 0.05 * (i % 11) - 0.03 * (i % 5);
    b[i] = 0.3 - 0.02 * (i % 17) + 0.01 * (i % 3);
  }
  for (long n = 0; n < 15; ++n) {
    Shape s{n, 15, 0, 0};
    CHECK_KERNEL(factor);
    CHECK_KERNEL(solve);
    for (long stride : {0, 1, 3, 14, 15, 20})
      for (long shift : {-1, 0, 1, 2, 5, 20}) {
        if (shift < 0 && stride < 15)
          continue;
        s.stride = stride;
        s.shift = shift + (shift < 0 ? 1 : 0);
        CHECK_KERNEL(overlapping);
      }
    for (long shift : {-40, -15, -4, -1, 0, 1, 2, 3, 4, 16, 40}) {
      s.shift = shift;
      for (long stride : {-1, 0, 1, 2}) {
        s.stride = stride;
        CHECK_KERNEL(downwards);
        CHECK_KERNEL(some);
        for (long m : {0, 1, 2, 15, 16}) {
          s.m = m;
          CHECK_KERNEL(products);
          CHECK_KERNEL(some);
        }
        s.m = 15;
      }
    }
  }
  return check_status();
}
