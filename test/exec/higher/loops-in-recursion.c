//===- loops-in-recursion.c - reverse over reverse of a recursion ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frames of a recursion have their adjoints behind them. To the outer request
// these are numbers of the program, and have adjoints of their own elsewhere.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);

// x^6, by x^n in each activation.
CHECK_NOINLINE static double powers(double x, int n) {
  double s = 1;
  for (int i = 0; i < n; ++i)
    s *= x;
  return n ? s * powers(x, n - 1) : s;
}

CHECK_NOINLINE static double sines(double x, int n) {
  if (n == 0)
    return x;
  double s = 1;
  for (int i = 0; i <= n; ++i)
    s = sin(s * x);
  return s * sines(x, n - 1);
}

CHECK_NOINLINE static double behind(double x, int n) {
  double s = n ? sin(x * behind(x, n - 1)) : x;
  for (int i = 0; i < n; ++i)
    s *= x + i;
  return s;
}

CHECK_NOINLINE static double inMemory(double *x, int n) {
  if (n == 0)
    return x[0];
  for (int i = 0; i < 3; ++i)
    x[i] = x[i] * x[(i + 1) % 3];
  return inMemory(x, n - 1) * x[1];
}
static double local(double x, int n) {
  double y[3] = {x, 0.7 + x, 1.4 - x};
  return inMemory(y, n);
}

#define TWICE(F)                                                               \
  static double F##Slope(double x) {                                           \
    return __verso_grad((void *)F, verso_out, x, verso_const, 3);              \
  }                                                                            \
  static double F##Bent(double x) {                                            \
    return __verso_grad((void *)F##Slope, verso_out, x);                       \
  }
TWICE(powers)
TWICE(sines)
TWICE(behind)
TWICE(local)

#define CHECK_TWICE(F)                                                         \
  do {                                                                         \
    double bent = F##Bent(x);                                                  \
    CHECK_CLOSE(bent, (F##Slope(x + 1e-5) - F##Slope(x - 1e-5)) / 2e-5, 1e-7); \
    CHECK_CLOSE(__verso_jvp((void *)F##Slope, verso_dup, x, 1.0), bent,        \
                1e-12);                                                        \
  } while (0)

int main(void) {
  volatile double at = 1.1;
  double x = at;
  CHECK_CLOSE(powersBent(x), 30 * x * x * x * x, 1e-13);
  CHECK_TWICE(powers);
  CHECK_TWICE(sines);
  CHECK_TWICE(behind);
  CHECK_TWICE(local);
  return check_status();
}
