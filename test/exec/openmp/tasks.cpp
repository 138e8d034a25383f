//===- tasks.cpp - work that threads find ---------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FLAGS: -fopenmp
// REQUIRES: openmp
//
// Tasks: recursive, in order of what they depend on, with private objects that
// have destructors, and loops of tasks.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <verso/verso.h>

#include <vector>

enum { N = 24 };

static double product(const double *x, int n) {
  if (n == 1)
    return x[0] * x[0] + 0.5;
  double a, b;
#pragma omp task shared(a) if (n > 4)
  a = product(x, n / 2);
#pragma omp task shared(b)
  b = product(x + n / 2, n - n / 2);
#pragma omp taskwait
  return 0.5 * a * b + a;
}

CHECK_NOINLINE static double recursive(const double *x) {
  double s = 0;
#pragma omp parallel
#pragma omp single
  s = product(x, N);
  return s;
}

struct Scaled {
  std::vector<double> Of;
  double Factor;
  double at(int i) const { return Of[i] * Factor; }
};

CHECK_NOINLINE static double dependences(const double *x) {
  double a = 0, b = 0, c = 0;
  Scaled scaled{std::vector<double>(x, x + N), x[3]};
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : a)
    a = x[0] * x[1];
#pragma omp task depend(in : a) depend(out : b)
    b = a * x[2];
#pragma omp task depend(in : a, b) depend(out : c) firstprivate(scaled)
    c = a * b + scaled.at(5);
#pragma omp taskwait
#pragma omp taskgroup
    {
#pragma omp task shared(c)
      c *= 2;
    }
  }
  return c;
}

CHECK_NOINLINE static double loops(const double *x) {
  double y[N], last = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(3) lastprivate(last)
    for (int i = 0; i < N; ++i) {
      y[i] = x[i] * x[i];
      last = y[i] * x[0];
    }
  }
  double s = last;
  for (int i = 0; i < N; ++i)
    s += y[i] * (i + 1);
  return s;
}

typedef double function(const double *);

template <function f> static void check() {
  double x[N], dx[N] = {0}, tangent[N], there[N], back[N], along = 0, h = 1e-5;
  for (int i = 0; i < N; ++i) {
    x[i] = 0.7 + 0.02 * ((i * 7) % 11);
    tangent[i] = cos(i);
    there[i] = x[i] + h * tangent[i];
    back[i] = x[i] - h * tangent[i];
  }
  __verso_grad((void *)f, verso_dup, x, dx);
  for (int i = 0; i < N; ++i)
    along += dx[i] * tangent[i];
  CHECK_CLOSE(__verso_jvp((void *)f, verso_dup, x, tangent), along, 1e-12);
  CHECK_CLOSE(along, (f(there) - f(back)) / (2 * h), 1e-7);
}

int main() {
  check<recursive>();
  check<dependences>();
  check<loops>();
  return check_status();
}
