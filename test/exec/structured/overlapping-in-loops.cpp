//===- overlapping-in-loops.cpp - pointers that meet in a nest ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step reads two grids and writes two others, by pointers in memory that it
// swaps, so reversed nests have two versions: for grids that are apart and for
// any. They are apart, one element or one row into each other, and on top of
// each other, in nests of all sizes, also such as are not entered. Judged by
// forward mode, in a direction in which every cell varies.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <utility>

namespace {

constexpr int Most = 7, Size = Most * Most, Pool = 6 * Size;

template <typename T> struct Grids {
  int n;
  T *u, *v, *nu, *nv;
};

template <typename T> CHECK_NOINLINE void step(Grids<T> &g) {
  auto at = [&](int i, int j) { return i * g.n + j; };
  for (int i = 1; i < g.n - 1; ++i)
    for (int j = 1; j < g.n - 1; ++j) {
      int c = at(i, j), e = at(i + 1, j), w = at(i - 1, j), s = at(i, j + 1),
          t = at(i, j - 1);
      g.nu[c] = T(0.3) * g.u[e] * g.v[w] + T(0.5) * g.u[s] * g.u[t];
      g.nv[c] = T(0.25) * g.v[c] * g.u[e] - T(0.4) * g.v[t] * g.v[s];
    }
  std::swap(g.u, g.nu);
  std::swap(g.v, g.nv);
}

/// Rows of their own, by pointers that an outer loop loads.
template <typename T> CHECK_NOINLINE void rows(Grids<T> &g) {
  for (int r = 0; r < 2; ++r) {
    for (int j = 1; j < g.n * g.n - 1; ++j)
      g.nu[j] = T(0.3) * g.u[j - 1] * g.u[j + 1] + g.v[j] * g.v[j];
    std::swap(g.u, g.nu);
  }
}

template <typename T> double total(const Grids<T> &g) {
  double s = 0;
  for (int i = 0; i < g.n * g.n; ++i)
    s += g.u[i] * g.u[i] * (i + 1) + g.v[i] * g.nu[i];
  return s;
}

template <typename T> double stepped(Grids<T> &g, int steps) {
  for (int k = 0; k < steps; ++k)
    step(g);
  return total(g);
}

template <typename T> double inRows(Grids<T> &g, int steps) {
  for (int k = 0; k < steps; ++k)
    rows(g);
  return total(g);
}

struct Where {
  int u, v, nu, nv;
};

template <typename T>
void run(Where p, int n, int steps,
         void (*gradient)(Grids<T> *, Grids<T> *, int),
         double (*slope)(Grids<T> *, Grids<T> *, int)) {
  static T x[Pool], d[Pool], way[Pool];
  auto grids = [&](T *of) {
    return Grids<T>{n, of + p.u, of + p.v, of + p.nu, of + p.nv};
  };
  auto reset = [&] {
    for (int k = 0; k < Pool; ++k) {
      x[k] = T(0.3 + 0.5 * ((k * 37) % 11) / 11);
      d[k] = 0;
      way[k] = T(((k * 29) % 13) / 13.0 - 0.4);
    }
  };
  reset();
  Grids<T> g = grids(x), dg = grids(d);
  gradient(&g, &dg, steps);
  double product = 0, size = 1e-30;
  for (int k = 0; k < Pool; ++k) {
    product += d[k] * way[k];
    size += d[k] * way[k] < 0 ? -d[k] * way[k] : d[k] * way[k];
  }
  reset();
  g = grids(x), dg = grids(way);
  double forward = slope(&g, &dg, steps);
  // Rounding of a few hundred operations in T.
  double error = (forward - product) / size;
  double bound = sizeof(T) == 8 ? 1e-13 : 1e-5;
  CHECK(error < bound && error > -bound);
}

} // namespace

double __verso_jvp_slope(void *, ...);

template <typename T> void all() {
  constexpr Where Places[] = {
      {0, Size, 2 * Size, 3 * Size},     // Side by side.
      {3 * Size, Size, 2 * Size, 0},     // In another order.
      {0, 0, Size, 2 * Size},            // What is read is one.
      {0, Size, Size, 0},                // Written over one another.
      {0, Size, 0, Size},                // In place.
      {0, 2 * Size, Size - 1, 4 * Size}, // One element in common.
      {1, 2 * Size, 0, 4 * Size},        // One element off.
      {Most, 2 * Size, 0, 4 * Size},     // One row off.
      {0, 2 * Size, 5, 4 * Size},        // Some other row.
      {0, 2 * Size, 4 * Size, 4 * Size}, // What is written is one.
      {0, Size, 2 * Size, 2 * Size + 3},
      {9, 4, 14, 0},
  };
  for (const Where &P : Places)
    for (int n = 0; n <= Most; ++n)
      for (int steps = 0; steps <= 3; ++steps) {
        run<T>(
            P, n, steps,
            [](Grids<T> *g, Grids<T> *dg, int steps) {
              __verso_grad_void((void *)stepped<T>, verso_dup, g, dg,
                                verso_const, steps);
            },
            [](Grids<T> *g, Grids<T> *dg, int steps) {
              return __verso_jvp_slope((void *)stepped<T>, verso_dup, g, dg,
                                       verso_const, steps);
            });
        run<T>(
            P, n, steps,
            [](Grids<T> *g, Grids<T> *dg, int steps) {
              __verso_grad_void((void *)inRows<T>, verso_dup, g, dg,
                                verso_const, steps);
            },
            [](Grids<T> *g, Grids<T> *dg, int steps) {
              return __verso_jvp_slope((void *)inRows<T>, verso_dup, g, dg,
                                       verso_const, steps);
            });
      }
}

int main() {
  all<double>();
  all<float>();
  return check_status();
}
