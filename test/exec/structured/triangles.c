//===- triangles.c - running indices over nests, used behind them ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stack that a nest of loops fills: how often the inner loop runs depends on
// the outer one, and how far the stack was filled counts a later loop. When its
// count was computed from the nest's own, that was lost to the nest's reverse.
//
// STRATEGY: structured
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { N = 6, ROOM = N * (N + 1) / 2 };

CHECK_NOINLINE static double in_order(double *x) {
  double stack[ROOM], *top = stack, sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++)
      *top++ = x[i] * x[j];
  for (double *p = stack; p < top; p++)
    sum = 0.9 * sum + *p;
  return sum;
}
CHECK_NOINLINE static double from_the_top(double *x) {
  double stack[ROOM], sum = 0;
  int top = 0;
  for (int i = 0; i < N; i++)
    for (int j = i; j < N; j++)
      stack[top++] = x[j] / x[i];
  while (top > 0)
    sum = 0.9 * sum + stack[--top];
  return sum;
}
CHECK_NOINLINE static double some_or_one(double *x) {
  double stack[3 * N + 1], *top = stack, sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0, n = x[i] > 1.25 ? 3 : 1; j < n; j++)
      *top++ = x[i] * x[i];
  *top++ = x[0];
  while (top > stack)
    sum = 0.5 * sum + *--top;
  return sum;
}
CHECK_NOINLINE static double filtered(double *x) {
  double stack[N * N], sum = 1;
  int top = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      if (x[j] < 0.83 * x[i])
        continue;
      stack[top++] = x[j] * x[i];
    }
  while (top > 0)
    sum = 0.5 * sum * stack[--top] + 1;
  return sum;
}

#define CHECK_STACK(F)                                                         \
  do {                                                                         \
    double d[N] = {0};                                                         \
    __verso_grad_void((void *)F, verso_dup, x, d);                             \
    CHECK_GRADIENT(F, N, x, d, 1e-8);                                          \
  } while (0)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++)
    x[i] = 1 + 0.1 * i;
  CHECK_STACK(in_order);
  CHECK_STACK(from_the_top);
  CHECK_STACK(some_or_one);
  CHECK_STACK(filtered);
  return check_status();
}
