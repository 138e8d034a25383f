//===- distance-of-arrays.c - one array reached through another -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The distance of two arrays is not that of their shadows, so a pointer that is
// computed from it ends the program; distances within an array are ordinary.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O0 -gline-tables-only %s -o %t.0 %verso_libs
// RUN: not %t.0 2>&1 | FileCheck %s
// RUN: %t.0 within
// RUN: %clang_verso -O2 -gline-tables-only %s -o %t.2 %verso_libs
// RUN: sh -c '%t.2; test $? -eq 86'
// RUN: %t.2 within

#include <stddef.h>

void __verso_grad(void *, ...);

__attribute__((noinline)) static double *of_other(double *x, double *y) {
  ptrdiff_t distance = y - x;
  // CHECK: verso: error: {{.*}}distance-of-arrays.c:[[@LINE+1]]{{.*}}the distance of two arrays
  return x + distance;
}
static double across(double *x, double *y) {
  double *p = of_other(x, y);
  return p[0] * p[1] * x[0];
}
__attribute__((noinline)) static double last(double *x, double *end) {
  return x[end - x - 1] * x[(end - x) / 2];
}
static double within(double *x) { return last(x, x + 4); }

int main(int argc, char **argv) {
  (void)argv;
  double x[4] = {1, 2, 3, 4}, dx[4] = {0}, y[2] = {5, 6}, dy[2] = {0};
  if (argc > 1) {
    __verso_grad((void *)within, x, dx);
    return !(dx[3] == 3 && dx[2] == 4);
  }
  __verso_grad((void *)across, x, dx, y, dy);
  return 0;
}
