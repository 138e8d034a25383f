//===- variable-integers.c - integers among variable arguments ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers, of which the loop that takes them knows the order alone, stand
// between numbers in one area; a union is passed as an integer and read as the
// number that it is.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include "verso/verso.h"
#include <stdarg.h>

static double run(const int *plan, double x, ...) {
  va_list list;
  va_start(list, x);
  for (; *plan; ++plan)
    switch (*plan) {
    case 1:
      x *= va_arg(list, int);
      break;
    case 2:
      x += va_arg(list, double) * x;
      break;
    case 3:
      x *= va_arg(list, double);
      break;
    }
  va_end(list);
  return x;
}
static const int Plan[] = {1, 2, 2, 1, 3, 1, 2, 0};

VERSO_STRATEGY(structured)
static double in_turn(double x, double y) {
  return run(Plan, x, 3, y, x, 2, y * y, 5, x);
}

union number {
  float f;
  int i;
};
static double of_unions(int n, ...) {
  va_list list;
  va_start(list, n);
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    double d = va_arg(list, double);
    union number u = va_arg(list, union number);
    sum += d * (double)u.f * (k + 1);
  }
  va_end(list);
  return sum;
}
static double unions(double x, double y) {
  union number a = {(float)x}, b = {(float)y};
  return of_unions(3, x, a, y, b, x * y, a);
}

typedef struct {
  double x, y;
} pair;
pair __verso_grad_pair(void *, ...);

int main(void) {
  double x = 0.75, y = 1.25;
  // 30 x (1 + y) (1 + x) y^2 (1 + x)
  pair d = __verso_grad_pair((void *)in_turn, x, y);
  CHECK_CLOSE(d.x, 30 * (1 + y) * y * y * ((1 + x) * (1 + x) + 2 * x * (1 + x)),
              1e-13);
  CHECK_CLOSE(d.y, 30 * x * (1 + x) * (1 + x) * (2 * y + 3 * y * y), 1e-13);
  // x^2 + 2 y^2 + 3 x^2 y
  d = __verso_grad_pair((void *)unions, x, y);
  CHECK_CLOSE(d.x, 2 * x + 6 * x * y, 1e-6);
  CHECK_CLOSE(d.y, 4 * y + 3 * x * x, 1e-6);
  return check_status();
}
