//===- local-arrays-in-reverse.c - reverse over forward, local arrays -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forward request gives a local array a sibling; to a reverse request around
// it, the two are arrays like any other.
//
//===----------------------------------------------------------------------===//

#include "forward.h"

static double scattered(double x, int n) {
  double t[8] = {0};
  for (int i = 0; i < n; ++i)
    t[i * 3 % 8] += x * x * x;
  double sum = 0;
  for (int i = 0; i < 8; ++i)
    sum += t[i];
  return sum;
}

static double slope(double x, int n) {
  return __verso_jvp(scattered, x, 1.0, n);
}

int main(void) {
  CHECK_EQUAL(__verso_grad(slope, 2.0, 5), 60);
  return check_status();
}
