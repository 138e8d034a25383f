//===- snapshots.cpp - memory that is copied for the verso ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stencils on buffers that are swapped, rotated among three, copied back, or
// one buffer after all; in one and two dimensions, up and down, with a guard
// around the loads, on parts of one array; where the reverse needs differences
// of what is read, as in Runge-Kutta steps. What several loads read is copied
// once where nothing writes to it meanwhile, and recorded where something may.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "../complex_step.h"

#include <vector>

template <class Real> Real weighted(const Real *y, int n) {
  Real sum = 0;
  for (int i = 0; i < n; ++i)
    sum += y[i] * y[i] * (0.5 + 0.25 * (i % 7));
  return sum;
}

template <class Real> void step(const Real *from, Real *to, int n) {
  for (int i = 1; i + 1 < n; ++i)
    to[i] = from[i] + 0.1 * from[i - 1] * from[i + 1] * from[i];
}

template <class Real> Real swapped(Real *x, int n, int steps) {
  std::vector<Real> now(x, x + n), then = now;
  for (int k = 0; k < steps; ++k) {
    step<Real>(now.data(), then.data(), n);
    now.swap(then);
  }
  return weighted(now.data(), n);
}

template <class Real> Real rotated(Real *x, int n, int steps) {
  std::vector<Real> block(3 * n + 1), other(x, x + n);
  Real *a = other.data(), *b = block.data(), *c = b + n;
  for (int i = 0; i < n; ++i)
    b[i] = 0.5 * x[i], c[i] = x[i];
  for (int k = 0; k < steps; ++k) {
    for (int i = 1; i + 1 < n; ++i)
      c[i] = 0.4 * a[i - 1] * a[i + 1] + 0.2 * b[i] * b[i - 1];
    Real *t = a;
    a = b, b = c, c = t;
  }
  return weighted(a, n) + weighted(b, n) + weighted(c, n);
}

template <class Real> Real copied(Real *x, int n, int steps) {
  std::vector<Real> now(x, x + n), then = now;
  for (int k = 0; k < steps; ++k) {
    step<Real>(now.data(), then.data(), n);
    for (int i = 0; i < n; ++i)
      now[i] = then[i];
  }
  return weighted(now.data(), n);
}

/// Both are the same from the start, or from some step on.
template <class Real> Real same(Real *x, int n, int steps) {
  std::vector<Real> one(x, x + n), two(x, x + n);
  Real *now = one.data(), *then = one.data();
  for (int k = 0; k < steps; ++k) {
    step<Real>(now, then, n);
    Real *t = now;
    now = then, then = k == 1 ? two.data() : t;
  }
  return weighted(one.data(), n) + weighted(two.data(), n);
}

/// Swapped parts of one array, which overlap.
template <class Real> Real parts(Real *x, int n, int steps) {
  std::vector<Real> one(x, x + n);
  one.resize(n + 2);
  Real *now = one.data(), *then = one.data() + 2;
  for (int k = 0; k < steps; ++k) {
    step<Real>(now, then, n);
    std::swap(now, then);
  }
  return weighted(one.data(), n);
}

/// Shifted by one element in each step.
template <class Real> Real moving(Real *x, int n, int steps) {
  std::vector<Real> one(x, x + n), two(x, x + n);
  one.resize(n + steps), two.resize(n + steps);
  Real *now = one.data(), *then = two.data();
  for (int k = 0; k < steps; ++k) {
    step<Real>(now, then, n);
    Real *t = now;
    now = then + 1, then = t;
  }
  return weighted(one.data(), n + steps) + weighted(two.data(), n + steps);
}

template <class Real> Real plane(Real *x, int n, int steps) {
  int columns = 1;
  while ((columns + 1) * (columns + 1) <= n)
    ++columns;
  int rows = n / columns;
  std::vector<Real> now(x, x + n), then = now;
  for (int k = 0; k < steps; ++k) {
    for (int i = 1; i + 1 < rows; ++i)
      for (int j = 1; j + 1 < columns; ++j) {
        const Real *c = now.data() + i * columns + j;
        then[i * columns + j] =
            c[0] + 0.1 * c[-1] * c[1] * (c[-columns] + c[columns] * c[0]);
      }
    now.swap(then);
  }
  return weighted(now.data(), n);
}

template <class Real> Real narrow(Real *x, int n, int steps) {
  constexpr int Columns = 16;
  std::vector<Real> now(x, x + n), then = now;
  for (int k = 0; k < steps; ++k) {
    for (int i = 1; (i + 2) * Columns <= n; ++i)
      for (int j = 1; j + 1 < Columns; ++j) {
        const Real *c = now.data() + i * Columns + j;
        then[i * Columns + j] =
            c[0] + 0.1 * c[-1] * c[1] * (c[-Columns] + c[Columns] * c[0]);
      }
    now.swap(then);
  }
  return weighted(now.data(), n);
}

template <class Real> Real downwards(Real *x, int n, int steps) {
  std::vector<Real> now(x, x + n), then = now;
  for (int k = 0; k < steps; ++k) {
    for (int i = n - 2; i > 0; --i)
      then[i] = now[i - 1] * now[i + 1] - now[i] * now[i];
    now.swap(then);
  }
  return weighted(now.data(), n);
}

/// Not every iteration reads.
template <class Real> Real guarded(Real *x, int n, int steps) {
  std::vector<Real> now(x, x + n), then = now;
  for (int k = 0; k < steps; ++k) {
    for (int i = 0; i < n; ++i)
      if (i > 0 && i + 1 < n)
        then[i] = now[i - 1] * now[i + 1] + now[i] * now[i];
    now.swap(then);
  }
  return weighted(now.data(), n);
}

/// Far apart in memory: only a column of every row.
template <class Real> Real sparse(Real *x, int n, int steps) {
  constexpr int Columns = 8;
  std::vector<Real> now(x, x + n), then = now;
  for (int k = 0; k < steps; ++k) {
    for (int i = 0; (i + 1) * Columns <= n; ++i)
      then[i * Columns] = now[i * Columns] * now[i * Columns + 1] +
                          now[i * Columns + 2] * now[i * Columns + 1];
    now.swap(then);
  }
  return weighted(now.data(), n);
}

template <class Real> void slope(const Real *x, Real *k, int n) {
  for (int i = 2; i + 1 < n; ++i)
    k[i] = (x[i + 1] - x[i - 2]) * x[i - 1] - x[i];
}

/// A column for the difference and one for its factor would be two.
template <class Real> Real stages(Real *x, int n, int steps) {
  std::vector<Real> now(x, x + n), stage = now, k1(n), k2(n);
  for (int k = 0; k < steps; ++k) {
    slope<Real>(now.data(), k1.data(), n);
    for (int i = 0; i < n; ++i)
      stage[i] = now[i] + 0.1 * k1[i];
    slope<Real>(stage.data(), k2.data(), n);
    for (int i = 0; i < n; ++i)
      now[i] += 0.05 * (k1[i] + k2[i]);
  }
  return weighted(now.data(), n);
}

/// The slope overwrites what is read, from some step on.
template <class Real> Real stagesInPlace(Real *x, int n, int steps) {
  std::vector<Real> now(x, x + n), other(n);
  Real *k1 = other.data();
  for (int k = 0; k < steps; ++k) {
    slope<Real>(now.data(), k1, n);
    for (int i = 0; i < n; ++i)
      now[i] = 0.5 * now[i] + 0.1 * k1[i];
    if (k == 1)
      k1 = now.data();
  }
  return weighted(now.data(), n);
}

/// Read by two loops, of which the first is not always come to; every cell is
/// read by the inner loop of a nest.
template <class Real> Real pairs(Real *x, int n, int steps) {
  std::vector<Real> now(x, x + n), force(n);
  for (int k = 0; k < steps; ++k) {
    if (k & 1)
      slope<Real>(now.data(), force.data(), n);
    for (int i = 1; i + 1 < n; ++i)
      for (int j = 1; j + 1 < n; ++j) {
        Real d = now[j + 1] - now[j - 1], e = now[i] - now[j];
        force[i] += 0.01 * d * e / (1.0 + e * e);
      }
    for (int i = 0; i < n; ++i)
      now[i] += 0.1 * force[i];
  }
  return weighted(now.data(), n);
}

#define CHECK_KERNEL(NAME)                                                     \
  do {                                                                         \
    std::vector<double> d(x.size() + 1);                                       \
    __verso_grad_void((void *)NAME<double>, verso_dup, x.data(), d.data(),     \
                      verso_const, n, verso_const, steps);                     \
    std::vector<double> exact = complex_step(                                  \
        [&](std::vector<std::complex<double>> z) {                             \
          z.resize(z.size() + 1);                                              \
          return NAME<std::complex<double>>(z.data(), n, steps);               \
        },                                                                     \
        x);                                                                    \
    for (int i = 0; i < n; ++i)                                                \
      CHECK_CLOSE(d[i], exact[i], 1e-12);                                      \
  } while (0)

int main() {
  for (int n : {0, 1, 2, 3, 4, 5, 6, 9, 16, 17, 25, 31, 33, 48, 65})
    for (int steps : {0, 1, 2, 3, 6}) {
      std::vector<double> x(n);
      for (int i = 0; i < n; ++i)
        x[i] = 0.4 + 0.02 * (i % 11) - 0.03 * (i % 5);
      CHECK_KERNEL(swapped);
      CHECK_KERNEL(rotated);
      CHECK_KERNEL(copied);
      CHECK_KERNEL(same);
      CHECK_KERNEL(parts);
      CHECK_KERNEL(moving);
      CHECK_KERNEL(plane);
      CHECK_KERNEL(narrow);
      CHECK_KERNEL(downwards);
      CHECK_KERNEL(guarded);
      CHECK_KERNEL(sparse);
      CHECK_KERNEL(stages);
      CHECK_KERNEL(stagesInPlace);
      CHECK_KERNEL(pairs);
    }
  return check_status();
}
