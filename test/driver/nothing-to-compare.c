//===- nothing-to-compare.c - -verso-check where forward mode is NaN -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At 0 the cubic root's derivative is infinite, and that of a sixth power zero:
// forward mode has no number, reverse mode zero. Nobody knows which is right, so
// that is no error, but it is said, once for each request. Where both are
// numbers nothing is said, nor of a soft minimum with an infinite border.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -g -mllvm -verso-strategy=taped -mllvm -verso-check %s -o %t %verso_libs
// RUN: env VERSO_CHECK_EVERY=1 %t 2>&1 | FileCheck %s
// RUN: %clang_verso -O2 -g -mllvm -verso-strategy=structured -mllvm -verso-check %s -o %t %verso_libs
// RUN: env VERSO_CHECK_EVERY=1 %t 2>&1 | FileCheck %s

// CHECK-NOT: warning
// CHECK: verso: warning: {{.*}}nothing-to-compare.c:[[#@LINE+27]]:{{.*}} -verso-check: nothing to compare: <J v, w> is {{-?}}nan in forward mode, <v, J' w> is {{-?}}0 in reverse mode
// CHECK-NOT: warning
// CHECK: done
// CHECK-NOT: warning

#include <math.h>
#include <stdio.h>

extern int verso_out;
double __verso_grad(void *, ...);

__attribute__((noinline)) static double sixth(double x) {
  double r = cbrt(x);
  return r * r * r * r * r * r;
}

__attribute__((noinline)) static double soft(double x, double y) {
  double g = exp(y), m = fmin(x, INFINITY);
  return m - g * log(exp((m - x) / g) + exp((m - INFINITY) / g));
}

int main(void) {
  volatile double zero = 0;
  __verso_grad((void *)sixth, verso_out, 0.3);
  __verso_grad((void *)soft, verso_out, 1.5, verso_out, 0.3);
  fflush(stdout);
  for (int i = 0; i < 3; ++i)
    __verso_grad((void *)sixth, verso_out, zero);
  fprintf(stderr, "done\n");
  return 0;
}
