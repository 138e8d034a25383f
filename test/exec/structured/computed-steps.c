//===- computed-steps.c - inductions whose step is computed ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where an index grows by what is computed before the loop, or in a loop around
// it, it is computed again in the verso, not recorded. Steps that change while
// the loop runs are no such steps. The judge is the tape.
//
//===----------------------------------------------------------------------===//

#include "kernels.h"

KERNEL(product, {
  double s = 0;
  for (size_t i = 3; i < 80; i += 2 * n + 1)
    s += sin(x[i]) * x[i + 1];
  return s * s;
})
/// As in a Fourier transform.
KERNEL(butterflies, {
  size_t m = 1;
  while (m < n)
    m *= 2;
  for (size_t half = 1; half < m; half *= 2)
    for (size_t start = 0; start != m; start += 2 * half)
      for (size_t k = start; k != start + half; ++k) {
        double t = x[k + half] * x[20 + k - start];
        x[k + half] = x[k] - t;
        x[k] = x[k] * t;
      }
  SUM(m)
})
/// The step is a sum, of two indices, and wraps around.
KERNEL(sums, {
  double s = 0;
  for (size_t a = 1; a < n; ++a)
    for (unsigned char i = 7, k = 0; k < 30; i = i + (unsigned char)(a * 37), ++k)
      s += cos(x[i % 150]) * x[a + k];
  return s;
})
KERNEL(downwards, {
  double s = 0;
  ptrdiff_t step = (ptrdiff_t)n / 2 + 1;
  for (ptrdiff_t i = 60; i > 2; i -= step)
    s += sin(x[i] * x[i - 1]);
  return s;
})
/// The step is read anew, or is the index itself.
KERNEL(no_steps, {
  double s = 0;
  size_t step[2] = {1, 2};
  for (size_t i = 0, k = 0; i < 50; i += step[k & 1], ++k) {
    s += sin(x[i]) * x[k];
    step[1] += k & 1;
  }
  for (size_t i = n + 1; i < 90; i += i)
    s += x[i] * x[i];
  for (size_t i = 1, j = n + 1; i < 90; i += j) {
    s += x[i] * sin(x[j]);
    j = (j * 3 + i) % 7 + 1;
  }
  return s;
})
/// A pointer that goes on by rows.
KERNEL(rows, {
  double s = 0;
  const double *row = x;
  for (size_t i = 0; i < n; ++i, row += 3 * n + 1)
    for (size_t j = 0; j < n; ++j)
      s += sin(row[j]) * row[j + 1];
  return s;
})

int main(void) {
  ALL(product);
  ALL(butterflies);
  ALL(sums);
  ALL(downwards);
  ALL(no_steps);
  ALL(rows);
  return check_status();
}
