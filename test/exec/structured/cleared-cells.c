//===- cleared-cells.c - cells that are cleared, then added to ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Updates in place, where the reverse clears a cell and adds to it in the same
// iteration: to the same cell or to another, twice, or to one that another
// iteration cleared. The judge is the tape.
//
//===----------------------------------------------------------------------===//

#include "kernels.h"

KERNEL(butterflies, {
  for (size_t half = 1; half < n; half *= 2)
    for (size_t start = 0; start + 2 * half <= n; start += 2 * half)
      for (size_t k = 0; k != half; ++k) {
        size_t i = start + k, j = i + half;
        double t = x[j] * (0.5 + 0.1 * (double)k);
        x[j] = x[i] - t;
        x[i] = x[i] + t;
      }
  SUM(n * n)
})
/// Both are the same cell, or some are.
KERNEL(meeting, {
  for (size_t i = 0; i != n; ++i) {
    size_t j = i % 3 ? n - 1 - i : i;
    double t = x[j] * 0.7;
    x[j] = x[i] * x[i] - t;
    x[i] = x[i] + t * x[j];
  }
  SUM(n * n)
})
/// Overwritten by what nothing depends on, and by zeros of both signs.
KERNEL(constants, {
  for (size_t i = 0; i != n; ++i) {
    double t = x[i] * x[i + 1];
    x[i] = i % 2 ? 0.0 : -0.0;
    x[i + 1] = x[i] * t - x[i] + t;
    if (i % 4 == 3)
      x[i + 1] = -0.0 * t;
  }
  SUM(n * n)
})
KERNEL(shifted, {
  for (size_t i = 1; i < n; ++i) {
    double t = x[i];
    x[i] = x[i - 1] + x[i + 1] * t;
    x[i - 1] = x[i] - t;
  }
  SUM(n * n)
})
int main(void) {
  ALL(butterflies);
  ALL(meeting);
  ALL(constants);
  ALL(shifted);
  return check_status();
}
