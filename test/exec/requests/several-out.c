//===- several-out.c - a struct of derivatives ----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With two `out` arguments a pair comes back in registers, with three or more a
// struct through memory, in the order of the arguments. Integers between them
// are constants and take no place.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct two {
  double x, y;
};
struct three {
  double x, y, z;
};
struct five {
  double a, b, c, d, e;
};
struct two __verso_grad_two(void *, ...);
struct three __verso_grad_three(void *, ...);
struct five __verso_grad_five(void *, ...);

static double product(double x, double y) { return x * y; }
static double power(double x, int n, double y, long m, double z) {
  double p = 1;
  for (int i = 0; i < n; ++i)
    p *= x;
  for (long i = 0; i < m; ++i)
    p += y * z;
  return p;
}
static double weighted(double a, double b, double c, double d, double e) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e;
}

int main(void) {
  struct two g = __verso_grad_two(product, 3.0, 5.0);
  CHECK_EQUAL(g.x, 5);
  CHECK_EQUAL(g.y, 3);
  struct three h = __verso_grad_three(power, 2.0, 3, 4.0, 5L, 6.0);
  CHECK_EQUAL(h.x, 12);
  CHECK_EQUAL(h.y, 30);
  CHECK_EQUAL(h.z, 20);
  struct five k = __verso_grad_five(weighted, 1.0, 1.0, 1.0, 1.0, 1.0);
  CHECK_EQUAL(k.a, 1);
  CHECK_EQUAL(k.b, 2);
  CHECK_EQUAL(k.c, 3);
  CHECK_EQUAL(k.d, 4);
  CHECK_EQUAL(k.e, 5);
  return check_status();
}
