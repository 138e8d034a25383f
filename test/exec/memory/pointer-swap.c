//===- pointer-swap.c - double buffering ----------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two buffers swapped by their pointers between steps that are not linear, an
// odd and an even number of times, with the buffers local, allocated, and given
// by the caller, and with the result copied home or left where it is.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static void step(double *to, const double *from, int n) {
  for (int i = 0; i < n; ++i) {
    double left = from[(i + n - 1) % n], right = from[(i + 1) % n];
    to[i] = from[i] + 0.1 * (left - 2 * from[i] + right) * from[i];
  }
}
CHECK_NOINLINE static double simulate(const double *x, int n, int steps) {
  double a[8], b[8], *now = a, *next = b;
  for (int i = 0; i < n; ++i)
    now[i] = x[i];
  for (int s = 0; s < steps; ++s) {
    step(next, now, n);
    double *t = now;
    now = next;
    next = t;
  }
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * now[i];
  return sum;
}
CHECK_NOINLINE static void in_callers_buffers(double *now, double *next, int n,
                                              int steps) {
  double *home = now;
  for (int s = 0; s < steps; ++s) {
    step(next, now, n);
    double *t = now;
    now = next;
    next = t;
  }
  if (now != home)
    memcpy(home, now, (size_t)n * sizeof *home);
}
static int count;
static double simulated(double *x) { return simulate(x, 6, count); }
static double in_buffers(double *x) {
  double other[6], sum = 0;
  in_callers_buffers(x, other, 6, count);
  for (int i = 0; i < 6; ++i)
    sum += (i + 1) * x[i];
  return sum;
}

int main(void) {
  for (count = 0; count <= 5; ++count) {
    double x[] = {1, 2, 0.5, 1.5, 3, 1}, dx[6] = {0};
    __verso_grad_void(simulate, verso_dup, x, dx, 6, count);
    CHECK_GRADIENT(simulated, 6, x, dx, 1e-8);

    double y[6], other[6] = {0}, dy[6], dother[6] = {0};
    memcpy(y, x, sizeof y);
    for (int i = 0; i < 6; ++i)
      dy[i] = i + 1;
    __verso_vjp_void(in_callers_buffers, verso_dup, y, dy, verso_dup, other,
                     dother, 6, count);
    CHECK_GRADIENT(in_buffers, 6, x, dy, 1e-8);
  }
  return check_status();
}
