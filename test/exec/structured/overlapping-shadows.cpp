//===- overlapping-shadows.cpp - a reversed loop reads what it added ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// UNCHECKED: a cell is the seed of one number and the adjoint of another
//
// Loops whose sums travel, run up and are taken apart do all this only where
// shadows are apart; where they are not, in the order of the reversed program.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <vector>

#define STRUCTURED __attribute__((annotate("verso_strategy=structured")))

STRUCTURED static void sums(const double *x, double *y, int n) {
  for (int i = 1; i + 1 < n; ++i)
    y[i] = 2 * x[i - 1] + 3 * x[i] + 5 * x[i + 1];
}

STRUCTURED static void scaled(const double *x, double *y, double a, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = a * x[i];
}

int main() {
  for (int n = 0; n < 40; ++n)
    for (int shift = -9; shift <= 9; ++shift) {
      std::vector<double> x(n, 0.5), y(n), block(n + 32), expected;
      for (size_t i = 0; i < block.size(); ++i)
        block[i] = 0.25 * (i % 9) + 1;
      const std::vector<double> start = block;

      expected = start;
      __verso_vjp_void((void *)sums, verso_dup, x.data(), block.data() + 16,
                       verso_dup, y.data(), block.data() + 16 + shift,
                       verso_const, n);
      double *ex = expected.data() + 16, *ey = ex + shift;
      for (int i = n - 2; i >= 1; --i) {
        double t = ey[i];
        ey[i] = 0;
        ex[i + 1] += 5 * t;
        ex[i] += 3 * t;
        ex[i - 1] += 2 * t;
      }
      for (size_t i = 0; i < block.size(); ++i)
        CHECK_CLOSE(block[i], expected[i], 1e-13);

      block = expected = start;
      __verso_vjp_void((void *)scaled, verso_dup, x.data(), block.data() + 16,
                       verso_dup, y.data(), block.data() + 16 + shift,
                       verso_const, 0.5, verso_const, n);
      ex = expected.data() + 16, ey = ex + shift;
      for (int i = n - 1; i >= 0; --i) {
        double t = ey[i];
        ey[i] = 0;
        ex[i] += 0.5 * t;
      }
      for (size_t i = 0; i < block.size(); ++i)
        CHECK_CLOSE(block[i], expected[i], 1e-13);
    }
  return check_status();
}
