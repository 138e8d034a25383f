//===- stack-memory.c - alloca, variable-length arrays, big frames ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory on the stack that is reused by the next call holds no tangent of the
// call before, whether it is written with constants, partly, or through
// another type.
//
// Memory is written as one type and read as another.
// FLAGS: -fno-strict-aliasing
//
//===----------------------------------------------------------------------===//

#include "forward.h"

CHECK_NOINLINE static double fill(const double *x, int n) {
  double a[n];
  for (int i = 0; i < n; ++i)
    a[i] = x[i % 4] * i;
  double *b = __builtin_alloca((unsigned long)n * sizeof *b);
  for (int i = 0; i < n; ++i)
    b[i] = a[n - 1 - i] * x[0];
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += b[i];
  return sum;
}
// Constants into the frame that held tangents.
CHECK_NOINLINE static double constants(int n, volatile int *zero) {
  double a[n];
  int *words = (int *)a;
  for (int i = 0; i < 2 * n; ++i)
    words[i] = *zero;
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i];
  return sum;
}
CHECK_NOINLINE static double chars(int n, volatile char *zero) {
  char a[8 * n] __attribute__((aligned(16)));
  for (int i = 0; i < 8 * n; ++i)
    a[i] = *zero;
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += ((double *)a)[i];
  return sum;
}
CHECK_NOINLINE static double set(int n, int byte) {
  double a[n];
  memset(a, byte, sizeof a);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i];
  return sum;
}
CHECK_NOINLINE static void reuse(double *x, double *y) {
  volatile int zero = 0;
  volatile char none = 0;
  y[0] = y[1] = y[2] = y[3] = 0;
  for (int n = 5; n < 40; n += 7) {
    y[0] += fill(x, n);
    y[1] += constants(n, &zero);
    y[0] += fill(x, n);
    y[2] += chars(n, &none);
    y[0] += fill(x, n);
    y[3] += set(n, zero);
  }
}
struct frame {
  double x;
  struct frame *up;
};
CHECK_NOINLINE static double deep(const struct frame *up, double x, int n) {
  struct frame here = {x * 1.01, (struct frame *)up};
  if (n)
    return deep(&here, here.x, n - 1);
  double sum = 0;
  for (const struct frame *f = &here; f; f = f->up)
    sum += f->x;
  return sum;
}
static void chain(double *x, double *y) { y[0] = deep(0, x[0] * x[1], 50); }

int main(void) {
  double x[] = {0.7, 1.3, -0.4, 2.2};
  CHECK_TRANSPOSE(reuse, 4, 4, x);
  CHECK_TRANSPOSE(chain, 2, 1, x);
  double dx[] = {1, 2, 3, 4}, y[4], dy[4];
  __verso_jvp_void(reuse, verso_dup, x, dx, verso_dup, y, dy);
  CHECK_EQUAL(dy[1], 0);
  CHECK_EQUAL(dy[2], 0);
  CHECK_EQUAL(dy[3], 0);
  return check_status();
}
