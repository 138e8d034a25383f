//===- variadic-sum.c - sums over variable arguments ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that reads as many doubles as a count says: none, some in
// registers, more than registers hold, with different calls in one function and
// in a loop whose frame is used again. Floats are promoted.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdarg.h>

/// The sum of k * x_k.
CHECK_NOINLINE static double weighted(int count, ...) {
  va_list list;
  va_start(list, count);
  double sum = 0;
  for (int k = 1; k <= count; ++k)
    sum += k * va_arg(list, double);
  va_end(list);
  return sum;
}

static double some(double x, double y) {
  return weighted(3, x, y * y, x * y) + weighted(0) + weighted(1, y);
}
static double many(double x) {
  double y = x * x;
  return weighted(12, x, y, x, y, x, y, x, y, x, y, x, y * x);
}
static double promoted(float x) { return weighted(2, x * x, 3.0f); }
static double repeated(double x) {
  double sum = 0;
  for (int k = 0; k < 5; ++k)
    sum = weighted(2, sum * x, (double)k);
  return sum;
}
/// The second call finds the area of the first, or one like it, used before.
static double constant(double x) {
  double active = weighted(1, x);
  return active * weighted(1, 5.0);
}

struct two {
  double x, y;
};
struct two __verso_grad_two(void *, ...);

int main(void) {
  double x = 1.5, y = -0.75;
  // x + 2 y^2 + 3 x y + y
  struct two g = __verso_grad_two(some, x, y);
  CHECK_CLOSE(g.x, 1 + 3 * y, 1e-15);
  CHECK_CLOSE(g.y, 4 * y + 3 * x + 1, 1e-15);
  // 36 x + 30 x^2 + 12 x^3
  CHECK_CLOSE(__verso_grad(many, x), 36 + 60 * x + 36 * x * x, 1e-14);
  CHECK_CLOSE(__verso_grad_float(promoted, 1.5f), 3, 1e-7);
  // s <- s x + 2 k from 0: 2 x^3 + 4 x^2 + 6 x + 8
  CHECK_CLOSE(__verso_grad(repeated, x), 6 * x * x + 8 * x + 6, 1e-14);
  CHECK_CLOSE(__verso_grad(constant, x), 5, 1e-15);
  return check_status();
}
