//===- permuted-cells.cpp - what is stored at places that indices tell ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse of stores to cells that a permutation tells clears them at once,
// if there are many that are in each other's way in a cache. Here are such
// permutations, others, and what is none: with one index twice, with gaps; from
// some other least index on, also a negative one, backwards and with steps;
// numbers of four and eight bytes, indices of both; two arrays by the same
// indices, and one array onto another part of itself. The gradient is compared
// with the reverse that stands in the text.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <vector>

template <class Real, class Index>
CHECK_NOINLINE static double scatter(const Real *x, Real *y, const Index *p,
                                     long step, long n, const Real *weights,
                                     long cells) {
  for (long i = 0; i != n; ++i)
    y[p[i * step]] = x[i] * weights[i];
  double sum = 0;
  for (long i = 0; i != cells; ++i)
    sum += (double)weights[i] * y[i - cells / 2] * y[i - cells / 2];
  return 0.5 * sum;
}

/// After the function ran.
template <class Real, class Index>
CHECK_NOINLINE static void reverse(Real *dx, const Real *y, Real *dy,
                                   const Index *p, long step, long n,
                                   const Real *weights, long cells) {
  for (long i = 0; i != cells; ++i)
    dy[i - cells / 2] += weights[i] * y[i - cells / 2];
  for (long i = n; i-- != 0;) {
    Real t = dy[p[i * step]];
    dy[p[i * step]] = 0;
    dx[i] += t * weights[i];
  }
}

template <class Index>
CHECK_NOINLINE static double both(const double *x, double *y, double *z,
                                  const Index *p, long n) {
  double sum = 0;
  for (long turn = 0; turn != 3; ++turn) {
    for (long i = 0; i != n; ++i) {
      y[p[i]] = x[i] + turn;
      z[p[i]] = x[n + i] * x[i];
    }
    for (long i = 0; i != n; ++i)
      sum += y[i] * z[i] * (i % 5 - turn);
  }
  return sum;
}

template <class Index>
CHECK_NOINLINE static void reverse_both(const double *x, double *dx,
                                        const Index *p, long n) {
  std::vector<double> y(n), z(n), dy(n), dz(n);
  std::vector<std::vector<double>> ys, zs;
  for (long turn = 0; turn != 3; ++turn) {
    for (long i = 0; i != n; ++i) {
      y[p[i]] = x[i] + turn;
      z[p[i]] = x[n + i] * x[i];
    }
    ys.push_back(y), zs.push_back(z);
  }
  for (long turn = 3; turn-- != 0;) {
    for (long i = 0; i != n; ++i) {
      dy[i] += zs[turn][i] * (i % 5 - turn);
      dz[i] += ys[turn][i] * (i % 5 - turn);
    }
    for (long i = n; i-- != 0;) {
      dx[i] += dy[p[i]] + dz[p[i]] * x[n + i];
      dx[n + i] += dz[p[i]] * x[i];
      dy[p[i]] = dz[p[i]] = 0;
    }
  }
}

static unsigned long state = 1;
static unsigned long next(unsigned long bound) {
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return (state >> 33) % bound;
}

/// From Colliding on, one cell and the next are of one set of a cache.
enum Kind { Identity, Backwards, Random, Few, Colliding, OneTwice, Gap };

template <class Index>
static std::vector<Index> indices(Kind kind, long n, long least, long step) {
  std::vector<Index> p(n * step);
  std::vector<long> q(n);
  for (long i = 0; i != n; ++i)
    q[i] = least + (kind == Backwards ? n - 1 - i : i);
  if (kind == Random)
    for (long i = n; i > 1; --i)
      std::swap(q[i - 1], q[next(i)]);
  if (kind >= Colliding)
    for (long i = 0, first = 0, k = 0; i != n; ++i, k += 512) {
      if (k >= n)
        k = ++first;
      q[i] = least + k;
    }
  if (kind == OneTwice && n > 2)
    // The least and the last are still there.
    for (long i = 0; i != n; ++i)
      if (q[i] == least + n / 2)
        q[i] = least + n / 2 - 1;
  if (kind == Gap)
    for (long i = 0; i != n; ++i)
      q[i] += q[i] > least + n / 3;
  if (kind == Few)
    for (long i = 0; i != n; ++i)
      q[i] = least + i % 7;
  for (long i = 0; i != n * step; ++i)
    p[i] = (Index)(i % step ? 12345 : q[i / step]);
  return p;
}

template <class Real, class Index>
static void check(Kind kind, long n, long least, long step, long apart) {
  const long cells = 2 * n + 64;
  const auto p = indices<Index>(kind, n, least, step);
  // x and y, in one array; numbers whose sums are exact in any order.
  std::vector<Real> memory(4 * cells), weights(cells);
  for (Real &r : memory)
    r = (Real)(1 + next(64)) / 8;
  for (Real &r : weights)
    r = next(2) ? 1 : -1;
  std::vector<Real> again(memory), shadow(memory.size()), expected(shadow);
  const long x = cells, y = cells + apart;
  (void)scatter(&again[x], &again[y], p.data(), step, n, weights.data(), cells);
  reverse(&expected[x], &again[y], &expected[y], p.data(), step, n,
          weights.data(), cells);
  __verso_grad_void((void *)scatter<Real, Index>, verso_dup, &memory[x],
                    &shadow[x], verso_dup, &memory[y], &shadow[y], verso_const,
                    p.data(), verso_const, step, verso_const, n, verso_const,
                    weights.data(), verso_const, cells);
  long wrong = 0;
  for (size_t i = 0; i != memory.size(); ++i)
    wrong += shadow[i] != expected[i];
  CHECK_EQUAL(wrong, 0);
}

template <class Index> static void check_both(Kind kind, long n) {
  const auto p = indices<Index>(kind, n, 0, 1);
  std::vector<double> x(2 * n), dx(2 * n), expected(2 * n), y(n), dy(n), z(n),
      dz(n);
  for (double &r : x)
    r = (double)next(64) / 8;
  reverse_both(x.data(), expected.data(), p.data(), n);
  __verso_grad_void((void *)both<Index>, verso_dup, x.data(), dx.data(),
                    verso_dup, y.data(), dy.data(), verso_dup, z.data(),
                    dz.data(), verso_const, p.data(), verso_const, n);
  long wrong = 0;
  for (long i = 0; i != 2 * n; ++i)
    wrong += dx[i] != expected[i];
  for (long i = 0; i != n; ++i)
    wrong += kind == OneTwice || kind == Few ? 0 : (dy[i] != 0) + (dz[i] != 0);
  CHECK_EQUAL(wrong, 0);
}

int main() {
  for (Kind kind : {Identity, Backwards, Random, Few, Colliding, OneTwice, Gap})
    for (long n : {0, 1, 2, 100, 4095, 4096, 4097, 9001}) {
      const long far = 3 * n + 128;
      check<double, long>(kind, n, 0, 1, far);
      check<double, unsigned>(kind, n, 3, 1, far);
      check<double, int>(kind, n, -n / 2, 1, far);
      check<float, int>(kind, n, -n / 2, 2, far);
      check<float, long>(kind, n, 7, 3, far);
      // On top of each other, a cell further, the halves of each.
      check<double, long>(kind, n, 0, 1, 0);
      check<double, int>(kind, n, 0, 1, 1);
      check<double, long>(kind, n, 0, 1, n / 2);
      check<double, long>(kind, n, 0, 1, n);
      check<float, unsigned>(kind, n, 0, 1, n + 1);
      check_both<long>(kind == Gap ? Backwards : kind, n);
      check_both<int>(kind == Gap ? Backwards : kind, n);
    }
  return check_status();
}
