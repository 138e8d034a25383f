//===- duff.c - a switch into a loop --------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Duff's device: the cases of a switch are inside a loop, so that the loop has
// eight entries.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double sum_of_cubes(const double *x, int n) {
  double sum = 0;
  int rounds = (n + 3) / 4;
  switch (n % 4) {
  case 0:
    do {
      sum += *x * *x * *x, ++x;
    case 3:
      sum += *x * *x * *x, ++x;
    case 2:
      sum += *x * *x * *x, ++x;
    case 1:
      sum += *x * *x * *x, ++x;
    } while (--rounds > 0);
  }
  return sum;
}

int main(void) {
  for (int n = 1; n <= 11; ++n) {
    double x[12], dx[12] = {0};
    for (int i = 0; i < 12; ++i)
      x[i] = i - 5;
    __verso_grad_void(sum_of_cubes, verso_dup, x, dx, n);
    for (int i = 0; i < 12; ++i)
      CHECK_EQUAL(dx[i], i < n ? 3 * x[i] * x[i] : 0);
  }
  return check_status();
}
