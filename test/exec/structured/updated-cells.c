//===- updated-cells.c - adjoints of what is updated in place -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cells are updated from themselves and from others that may be the same: the
// one before, the one behind, the same one by another index, cells that are
// overwritten in between; by factors that are loaded from what is updated.
//
//===----------------------------------------------------------------------===//

#include "kernels.h"

static const int index_of[4 * N] = {0, 3, 3, 1, 5, 6, 2, 2, 0, 4, 6, 5, 1, 3,
                                    3, 0, 2, 6, 5, 4, 4, 1, 0, 0, 6, 2, 3, 5};

KERNEL(ahead, {
  for (size_t k = 0; k < 8 * n; ++k)
    x[k] = 0.5 * x[k] + 0.25 * x[k + 1] - 0.125 * x[k + 3];
  SUM(60)
})

KERNEL(behind, {
  for (size_t k = 2; k < 8 * n; ++k)
    x[k] = x[k] + 0.25 * x[k - 1] - 0.125 * x[k - 2];
  SUM(60)
})

/// Far enough for some lengths, not for others.
KERNEL(apart, {
  const double *y = x + 4 * n;
  for (size_t k = 0; k < 8 * n; ++k)
    x[k] -= 0.7 * (y[k + 1] - y[k]);
  SUM(100)
})

KERNEL(by_indices, {
  for (size_t k = 0; k < 2 * n; ++k) {
    double *a = x + index_of[k], *b = x + index_of[2 * N - 1 - k];
    *a = 0.5 * *a + 0.25 * *b;
    *b = *b + 0.125 * x[index_of[k + N]];
  }
  SUM(20)
})

/// Both of a pair, by each other; then one by a product.
KERNEL(pairs, {
  for (size_t k = 0; k < 4 * n; ++k) {
    double *a = x + 2 * k, *b = x + k;
    double u = *a, v = *b;
    *a = u * 0.8 - v * 0.6;
    *b = *b + 0.5 * *a;
    x[k + 1] = x[k + 1] * x[k] + *b;
    *a += 0.25 * x[k + 1];
  }
  SUM(80)
})

/// What is read of the cell between two updates.
KERNEL(read_between, {
  double *y = x + 3 * n;
  double r = 0;
  for (size_t k = 0; k < 6 * n; ++k) {
    x[k] = x[k] * y[k] + 0.5 * y[k + 1];
    r += x[k] * y[k];
    x[k] = x[k] + r * 0.1;
    y[k] = r;
  }
  SUM(100)
})

int main(void) {
  ALL(ahead);
  ALL(behind);
  ALL(apart);
  ALL(by_indices);
  ALL(pairs);
  ALL(read_between);
  return check_status();
}
