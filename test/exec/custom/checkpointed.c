//===- checkpointed.c - long loops whose states are not all kept ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VERSO_CHECKPOINTED: the gradient is that of the loop, with any number of
// slots; no step is taken more often than the schedule says, which is the least
// that is possible; J v and second derivatives are right.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "check.h"
#include <verso/checkpoint.h>

enum { N = 6, M = 2 };
static size_t taken;

static void step(double *u, size_t n, const double *p, size_t m, size_t k) {
  double first = u[0];
  if (!verso_is_differentiated())
    ++taken;
  for (size_t i = 0; i < n; ++i) {
    double next = i + 1 < n ? u[i + 1] : first;
    u[i] += 0.1 * (p[0] * sin(next) - p[1] * u[i] * u[i]) + 0.01 * (k % 3);
  }
}
VERSO_CHECKPOINTED(simulate, double, step);

// The fewest steps, by trying all (Griewank and Walther's recursion), that come
// before those that are reversed.
static size_t fewest(size_t steps, size_t slots) {
  static size_t known[64][16];
  size_t best = steps * (steps - 1) / 2;
  if (steps <= 1 || !slots)
    return best;
  if (known[steps][slots])
    return known[steps][slots];
  for (size_t k = 1; k < steps; ++k) {
    size_t all = k + fewest(steps - k, slots - 1) + fewest(k, slots);
    if (all < best)
      best = all;
  }
  return known[steps][slots] = best;
}

static double plain(const double *p, size_t steps, size_t slots) {
  double u[N], sum = 0;
  for (size_t i = 0; i < N; ++i)
    u[i] = 0.1 * i + p[0] * p[1];
  for (size_t k = 0; k < steps; ++k)
    step(u, N, p, M, k);
  for (size_t i = 0; i < N; ++i)
    sum += u[i] * u[i];
  return sum;
}
VERSO_STRATEGY(structured)
static double checkpointed(const double *p, size_t steps, size_t slots) {
  double u[N], sum = 0;
  for (size_t i = 0; i < N; ++i)
    u[i] = 0.1 * i + p[0] * p[1];
  simulate(u, N, p, M, steps, slots);
  for (size_t i = 0; i < N; ++i)
    sum += u[i] * u[i];
  return sum;
}
static double slope(const double *p, size_t steps, size_t slots) {
  double d[M] = {0};
  __verso_grad(checkpointed, verso_dup, p, d, steps, slots);
  return d[0] - d[1];
}
static double plain_slope(const double *p, size_t steps, size_t slots) {
  double d[M] = {0};
  __verso_grad(plain, verso_dup, p, d, steps, slots);
  return d[0] - d[1];
}

static void narrow_step(float *u, size_t n, const float *p, size_t m,
                        size_t k) {
  for (size_t i = 0; i < n; ++i)
    u[i] = u[i] * p[k % m] + 0.5f;
}
VERSO_CHECKPOINTED(narrow, float, narrow_step);
static float of_floats(const float *p, size_t steps, size_t slots) {
  float u[3] = {1, 2, 3};
  narrow(u, 3, p, M, steps, slots);
  return u[0] * u[1] + u[2];
}

int main(void) {
  double p[M] = {0.7, 0.4}, v[M] = {1, -1};
  for (size_t steps = 0; steps < 60; steps += 1 + steps / 4)
    for (size_t slots = 0; slots < 12; slots += 1 + slots / 3) {
      double d[M] = {0}, e[M] = {0};
      CHECK_CLOSE(checkpointed(p, steps, slots), plain(p, steps, slots), 0);
      taken = 0;
      __verso_grad(checkpointed, verso_dup, p, d, steps, slots);
      CHECK_EQUAL(taken, steps + fewest(steps, slots));
      __verso_grad(plain, verso_dup, p, e, steps, slots);
      for (int i = 0; i < M; ++i)
        CHECK_CLOSE(d[i], e[i], 1e-13);
      CHECK_CLOSE(__verso_jvp(checkpointed, verso_dup, p, v, steps, slots),
                  e[0] - e[1], 1e-13);
    }
  CHECK_CLOSE(__verso_jvp(slope, verso_dup, p, v, (size_t)17, (size_t)3),
              __verso_jvp(plain_slope, verso_dup, p, v, (size_t)17, (size_t)3),
              1e-12);

  float q[M] = {0.9f, 1.1f}, dq[M] = {0}, h = 1e-2f;
  __verso_grad_float(of_floats, verso_dup, q, dq, (size_t)10, (size_t)2);
  for (int i = 0; i < M; ++i) {
    float at = q[i], above, below;
    q[i] = at + h;
    above = of_floats(q, 10, 2);
    q[i] = at - h;
    below = of_floats(q, 10, 2);
    q[i] = at;
    CHECK_CLOSE(dq[i], (above - below) / (2 * h), 1e-2);
  }
  return check_status();
}
