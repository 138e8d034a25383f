//===- rounding-mode.c - x86's control and status register ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries read the register to see whether subnormal numbers are flushed
// (Boost.Math's float_next, and what uses it), and set it around a computation.
// What is read is an integer, also where a number was before.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <verso/verso.h>
#include <xmmintrin.h>

static double flushed(const double *x, int n) {
  unsigned before = _mm_getcsr();
  _mm_setcsr(before | _MM_FLUSH_ZERO_ON);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i] * (_mm_getcsr() & _MM_FLUSH_ZERO_ON ? 3 : 2);
  _mm_setcsr(before);
  return sum;
}

typedef union {
  float number;
  unsigned bits;
} Cell;

CHECK_NOINLINE static void readRegister(Cell *c) {
  c->bits = __builtin_ia32_stmxcsr();
}

static double inPlace(const double *x, int n) {
  Cell c[4] = {{0}};
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    c[i].number = (float)(x[i] * 2);
    sum += c[i].number * x[i];
    readRegister(&c[i]);
  }
  for (int i = 0; i < n; ++i)
    sum += c[i].number;
  return sum;
}

#define CHECK_LINE(f, factor)                                                  \
  do {                                                                         \
    double x[3] = {0.5, -1.25, 3}, dx[3] = {0}, v[3] = {1, 2, -1};             \
    __verso_grad((void *)f, verso_dup, x, dx, verso_const, 3);                 \
    for (int i = 0; i < 3; ++i)                                                \
      CHECK_CLOSE(dx[i], factor * x[i], 1e-15);                                \
    CHECK_CLOSE(__verso_jvp((void *)f, verso_dup, x, v, verso_const, 3),       \
                factor * -5, 1e-15);                                           \
  } while (0)

int main(void) {
  CHECK_LINE(flushed, 6);
  CHECK_LINE(inPlace, 4);
  return check_status();
}
