//===- value-of-lost-bits.c - integers of a number's bits, if it is one ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic on the bits of a number whose result is used under a condition: it
// may be that there is no number then (exec/memory/boxed-numbers.c). Where there
// is one, the gradient ends in an error and the tangent is NaN, neither is zero:
// chosen, in a loop, by way of several, and bits again, two numbers in one.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -g -DF=chosen %s -o %t.x %verso_libs
// RUN: not %t.x gradient 2>&1 | FileCheck %s
// RUN: %t.x tangent | FileCheck %s --check-prefix=NAN
// RUN: %clang_verso -O2 -g -DF=summed %s -o %t.x %verso_libs
// RUN: not %t.x gradient 2>&1 | FileCheck %s
// RUN: %t.x tangent | FileCheck %s --check-prefix=NAN
// RUN: %clang_verso -O2 -g -DF=switched %s -o %t.x %verso_libs
// RUN: not %t.x gradient 2>&1 | FileCheck %s
// RUN: %t.x tangent | FileCheck %s --check-prefix=NAN
// RUN: %clang_verso -O2 -g -DF=again %s -o %t.x %verso_libs
// RUN: not %t.x gradient 2>&1 | FileCheck %s
// RUN: %t.x tangent | FileCheck %s --check-prefix=NAN
// RUN: %clang_verso -O2 -g -DF=paired %s -o %t.x %verso_libs
// RUN: not %t.x gradient 2>&1 | FileCheck %s
// RUN: %t.x tangent | FileCheck %s --check-prefix=NAN

// CHECK: error: {{.*}}'main': the result depends on a number whose bits went through integer arithmetic
// NAN: nan

#include <stdint.h>
#include <stdio.h>
#include <string.h>

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);
double __verso_jvp(void *, ...);

static int64_t bitsOf(double x) {
  int64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static double numberOf(int64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

__attribute__((unused, noinline)) static double chosen(const double *x, int c) {
  double y = x[0] * x[1];
  int64_t q = bitsOf(y) / c;
  return c > 1 ? (double)q : y;
}
/// Two floats in one integer, in a loop.
typedef float pair __attribute__((vector_size(8)));
__attribute__((unused, noinline)) static double paired(const double *x, int c) {
  double s = 0;
  for (int k = 0; k < c; k++) {
    pair both = {(float)x[0], (float)(x[1] * k)};
    uint64_t bits;
    memcpy(&bits, &both, sizeof bits);
    s += (double)((bits * 0x9e3779b97f4a7c15u) >> 20);
  }
  return s;
}
__attribute__((unused, noinline)) static double summed(const double *x, int c) {
  double s = 0;
  for (int k = 0; k < c; k++)
    s += (double)((bitsOf(x[0] * x[1]) * 31 + k) >> 40);
  return s;
}
__attribute__((unused, noinline)) static double switched(const double *x,
                                                         int c) {
  int64_t q = bitsOf(x[0] * x[1]);
  switch (c) {
  case 1:
    q = q % 7;
    break;
  case 2:
    q = q * q;
    break;
  case 3:
    q = q < 5 ? 5 : q;
    break;
  default:
    q = -q;
  }
  return (double)q;
}
__attribute__((unused, noinline)) static double again(const double *x, int c) {
  double y = x[0] * x[1];
  if (c > 1) {
    int64_t hash = bitsOf(y) % 1000003 * 12345;
    return numberOf((hash & 0xfffffffffffff) | 0x3ff0000000000000) * x[1];
  }
  return y;
}

int main(int argc, char **argv) {
  volatile int c = 3;
  double x[2] = {1.37, 2.9}, dx[2] = {0}, direction[2] = {1, 0};
  if (!strcmp(argv[argc - 1], "tangent"))
    printf("%g\n", __verso_jvp((void *)F, verso_dup, x, direction, verso_const,
                               c));
  else
    __verso_grad_void((void *)F, verso_dup, x, dx, verso_const, c);
}
