//===- joined-latches.c - what only the next reversed iteration needs -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops that hand on a number, or two, and begin with a constant: linear and
// not, chosen at kinks and ties, with a quotient that has no value in the first
// iteration, with a loop inside, with a way out before the end, with records of
// both sides.
//
//===----------------------------------------------------------------------===//

#include "kernels.h"

KERNEL(half_of_last, {
  double last = 0;
  for (size_t k = 0; k < 8 * n; ++k) {
    double l = 0.5 * last;
    double r = 0.25 * x[k];
    last = x[k];
    x[k + 60] = l * l - r * fabs(l) + fmax(fabs(l), fabs(r));
  }
  SUM(120)
})

KERNEL(two_before, {
  double p = 1;
  double q = 0;
  for (size_t k = 0; k < 8 * n; ++k) {
    double t = 0.5 * p - 0.25 * q + x[k];
    x[k + 60] = t * p;
    q = p;
    p = x[k];
  }
  SUM(120)
})

KERNEL(running, {
  double a = 0;
  for (size_t k = 0; k < 8 * n; ++k) {
    a = 0.5 * a + x[k] * x[k + 1];
    x[k + 60] += a < 1 ? a : a * a;
  }
  SUM(120)
})

/// Divided by the one before; nothing is divided by the zero at the start.
KERNEL(quotients, {
  double last = 0;
  for (size_t k = 0; k < 8 * n; ++k) {
    double l = x[k];
    x[k + 60] += last == 0 ? l : l / last;
    last = l;
  }
  SUM(120)
})

KERNEL(inner_loop, {
  double last = 0;
  for (size_t k = 0; k < 4 * n; ++k) {
    double s = 0.5 * last;
    for (size_t j = 0; j < k % 3; ++j)
      s += x[k + j] * last;
    last = x[k];
    x[k + 60] = s;
  }
  SUM(120)
})

KERNEL(early_end, {
  double last = 0;
  for (size_t k = 0; k < 8 * n; ++k) {
    double l = 0.5 * last;
    if (x[k] < 0.15)
      break;
    last = x[k];
    x[k + 60] = l * x[k];
  }
  SUM(120)
})

/// What is recorded comes before what is handed on next; stores that meet what
/// is loaded next stay in front of it.
KERNEL(recorded_sides, {
  for (size_t t = 0; t < 3; ++t) {
    double last = 0;
    for (size_t k = 0; k < 8 * n; ++k) {
      double l = 0.5 * last + 1;
      double r = 0.25 * x[k];
      x[k + 60] = (l * l - r * r) * l;
      last = x[k];
    }
    for (size_t k = 0; k < 8 * n; ++k)
      x[k] -= 0.1 * x[k + 60];
  }
  SUM(120)
})

KERNEL(stored_before_next, {
  for (size_t t = 0; t < 3; ++t) {
    double last = 0.5;
    for (size_t k = 0; k < 8 * n; ++k) {
      double l = 0.5 * last + 0.25 * x[k];
      x[k + 1] = l * l * 0.5;
      last = x[k + t];
    }
  }
  SUM(120)
})

int main(void) {
  ALL(half_of_last);
  ALL(two_before);
  ALL(running);
  ALL(quotients);
  ALL(inner_loop);
  ALL(early_end);
  ALL(recorded_sides);
  ALL(stored_before_next);
  return check_status();
}
