//===- worksharing.cpp - loops that threads share -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FLAGS: -fopenmp
// REQUIRES: openmp
// HEAVY: many regions
//
// Every schedule, reductions, private variables, sections, and what threads do
// one at a time. The primal has its threads; derivatives are as without OpenMP.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <omp.h>
#include <vector>
#include <verso/verso.h>

enum { N = 37 };

CHECK_NOINLINE static double reduction(const double *x, double *y) {
  double s = 0, p = 1;
#pragma omp parallel for reduction(+ : s) reduction(* : p)
  for (int i = 0; i < N; ++i) {
    y[i] = sin(x[i]) * x[i];
    s += y[i] * y[i];
    p *= 1 + 0.01 * x[i];
  }
  return s * p;
}

CHECK_NOINLINE static double schedules(const double *x, double *y) {
  double s = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < N; ++i)
      y[i] = exp(x[i]);
#pragma omp for schedule(static, 3) nowait
    for (unsigned i = 0; i < N; ++i)
      y[i] *= x[i];
#pragma omp barrier
#pragma omp for schedule(guided)
    for (long i = N - 1; i >= 0; i -= 2)
      y[i] += x[i] * x[i];
#pragma omp for schedule(runtime)
    for (size_t i = 0; i < N; ++i)
      y[i] *= 0.5;
#pragma omp for ordered schedule(auto)
    for (int i = 0; i < N; ++i) {
      double t = y[i] * y[i];
#pragma omp ordered
      s = 0.5 * s + t;
    }
  }
  return s;
}

// Threads by their numbers; what one of them does, and all in turn.
CHECK_NOINLINE static double byHand(const double *x, double *y) {
  double s = 0, most = -1e300;
#pragma omp parallel num_threads(3)
  {
    int me = omp_get_thread_num(), all = omp_get_num_threads();
    double own = 0;
    for (int i = me; i < N; i += all) {
      y[i] = x[i] * x[i];
      own += y[i];
    }
#pragma omp critical
    s += own;
#pragma omp barrier
#pragma omp single
    y[0] *= s;
#pragma omp master
    y[1] *= s;
#pragma omp barrier
#pragma omp for reduction(max : most)
    for (int i = 0; i < N; ++i)
      most = y[i] > most ? y[i] : most;
#pragma omp for
    for (int i = 0; i < N; ++i)
#pragma omp atomic
      s += y[i];
  }
  return s + most;
}

CHECK_NOINLINE static double privates(const double *x, double *y) {
  double a = x[0], last = 0, t;
#pragma omp parallel for firstprivate(a) lastprivate(last) private(t)
  for (int i = 0; i < N; ++i) {
    t = x[i] * a;
    last = t * t;
    y[i] = last + t;
  }
  double first = 0, second = 0;
#pragma omp parallel sections
  {
#pragma omp section
    first = y[0] * y[1];
#pragma omp section
    second = y[2] * last;
  }
  return first + second;
}

static double stencil(double *to, const double *from, int n) {
  double s = 0;
#pragma omp parallel for collapse(2) reduction(+ : s)
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < n - 1; ++j) {
      to[i * n + j] =
          from[i * n + j] * from[i * n + j - 1] + from[(i + 1) * n + j];
      s += to[i * n + j];
    }
  return s;
}

// A function with a region, called in loops and in a region of its own.
CHECK_NOINLINE static double nested(const double *x, double *y) {
  double s = 0;
  for (int k = 0; k < 3; ++k)
    s += k % 2 ? stencil(y, x, 6) : stencil(y + 1, x + 1, 6);
#pragma omp parallel for reduction(+ : s)
  for (int k = 0; k < 2; ++k) {
    double z[36];
    for (int i = 0; i < 36; ++i)
      z[i] = x[i] * (k + 1);
    s += stencil(z, x, 6) * z[7];
  }
#pragma omp parallel for if (N > 100) reduction(+ : s)
  for (int i = 0; i < N; ++i)
    s += x[i] * x[i];
#pragma omp parallel for simd reduction(+ : s)
  for (int i = 0; i < N; ++i)
    s += x[i] * y[i];
  return s;
}

// Chunks for as many threads as a region would have.
CHECK_NOINLINE static double chunks(const double *x, double *y) {
  int threads = omp_get_max_threads(), size = (N + threads - 1) / threads;
  std::vector<double> sums(threads);
#pragma omp parallel
  {
    int k = omp_get_thread_num();
    for (int i = k * size; i < N && i < (k + 1) * size; ++i)
      sums[k] += x[i] * x[i] * y[i];
  }
  double s = 0;
  for (double each : sums)
    s += each;
  return s;
}

typedef double function(const double *, double *);

template <function f> static double start(double *x, double *y) {
  for (int i = 0; i < N; ++i)
    y[i] = 0.25;
  return f(x, y);
}

template <function f> static void check() {
  double x[N], y[N], dx[N] = {0}, dy[N] = {0}, tangent[N];
  double along = 0;
  for (int i = 0; i < N; ++i) {
    x[i] = 0.3 + 0.02 * ((i * 7) % 11);
    tangent[i] = cos(i);
    y[i] = 0.25;
  }
  __verso_grad((void *)f, verso_dup, x, dx, verso_dup, y, dy);
  for (int i = 0; i < N; ++i) {
    along += dx[i] * tangent[i];
    y[i] = 0.25;
    dy[i] = 0;
  }
  CHECK_CLOSE(__verso_jvp((void *)f, verso_dup, x, tangent, verso_dup, y, dy),
              along, 1e-12);
  double there[N], back[N], h = 1e-5;
  for (int i = 0; i < N; ++i) {
    there[i] = x[i] + h * tangent[i];
    back[i] = x[i] - h * tangent[i];
  }
  double difference = (start<f>(there, y) - start<f>(back, y)) / (2 * h);
  CHECK_CLOSE(along, difference, 1e-8);
}

int main() {
  omp_set_dynamic(0);
  omp_set_num_threads(4);
  check<reduction>();
  check<schedules>();
  check<byHand>();
  check<privates>();
  check<nested>();
  check<chunks>();
  // A gradient of its own in each thread.
  double sums[4] = {0}, alone[4];
  for (int k = 0; k < 8; ++k) {
#pragma omp parallel for if (k % 2)
    for (int j = 0; j < 4; ++j) {
      double x[N], y[N] = {0}, dx[N] = {0}, dy[N] = {0};
      for (int i = 0; i < N; ++i)
        x[i] = 0.1 * j + 0.01 * i;
      __verso_grad((void *)reduction, verso_dup, x, dx, verso_dup, y, dy);
      sums[j] = 0;
      for (int i = 0; i < N; ++i)
        sums[j] += dx[i];
    }
    for (int j = 0; j < 4; ++j) {
      if (k == 0)
        alone[j] = sums[j];
      CHECK_CLOSE(sums[j], alone[j], 0);
    }
  }
  return check_status();
}
