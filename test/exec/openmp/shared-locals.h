//===- shared-locals.h - what an iteration has for itself -------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included twice: NAME(f) is the function's name, SHARED(clauses) a parallel
// directive or nothing. x has n numbers, p has one.
//
//===----------------------------------------------------------------------===//

static double NAME(viewed)(const double *x, const double *p, long n) {
  double s = 0;
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i) {
    double t[6];
    View v{t, 6};
    fill(&v, x[i] * p[0]);
    for (long k = 1; k < 6; ++k)
      v.at(k) *= v.at((k * 5) % 6);
    s += v.at(5) * v.at(i % 6);
  }
  return s;
}
static double NAME(funs)(const double *x, const double *p, long n) {
  double s = 0;
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i) {
    double a = x[i], b = 0;
    std::function<void(double)> g = [&](double c) {
      b += a * c * p[0];
      a *= 1.1;
    };
    for (int k = 0; k < 3; ++k)
      g(k + 1);
    s += b * a;
  }
  return s;
}
static double NAME(ptrs)(const double *x, const double *p, long n) {
  double s = 0;
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i) {
    double a[4] = {x[i], p[0], 1, 2};
    double *q[4];
    for (int k = 0; k < 4; ++k)
      q[k] = &a[(k * 3 + i) % 4];
    for (int k = 0; k < 4; ++k)
      *q[k] *= x[i] + k;
    int e;
    double f = frexp(a[0] + 3, &e);
    double ip;
    f += modf(a[1] * 2.3, &ip);
    s += a[0] * a[1] * a[2] + f * e;
  }
  return s;
}
static double NAME(list)(const double *x, const double *p, long n) {
  struct N {
    double v;
    N *next;
  };
  std::vector<N> nodes(n);
  for (long i = 0; i < n; ++i)
    nodes[i] = {x[i], i ? &nodes[(i * 7) % i] : nullptr};
  double s = 0;
  SHARED(for reduction(+ : s))
  for (long i = 0; i < n; ++i) {
    double t = 0;
    for (N *q = &nodes[i]; q; q = q->next)
      t += q->v * p[0];
    s += t * t;
  }
  return s;
}
