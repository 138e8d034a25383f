//===- thousand-requests.c - requests one after another -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thousand requests over the same memory: images of an earlier request must
// never be believed by a later one, nor adjoints be left over.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

static double buffer[16];

CHECK_NOINLINE static double f(const double *x, int n, int round) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    // Every other round reads what an earlier round has stored.
    if (round % 2 == 0)
      buffer[i] = x[i] * x[i];
    sum += buffer[i] * x[i];
  }
  return sum;
}

int main(void) {
  double x[16], dx[16];
  for (int round = 0; round < 1000; ++round) {
    for (int i = 0; i < 16; ++i) {
      x[i] = i + 0.001 * (round - round % 2);
      dx[i] = 0;
    }
    __verso_grad_void(f, verso_dup, x, dx, 16, round);
    for (int i = 0; i < 16; ++i)
      CHECK_CLOSE(dx[i], (round % 2 == 0 ? 3 : 1) * x[i] * x[i], 1e-13);
    if (check_status())
      break;
  }
  return check_status();
}
