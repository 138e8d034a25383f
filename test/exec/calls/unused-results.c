//===- unused-results.c - calls whose results or effects matter in part ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result that is dropped while the side effect counts, an effect that is
// dropped while the result counts, a pure function called twice, and an
// argument that is overwritten in the callee's own copy.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double store_square(double x, double *to) {
  *to = x * x;
  return x * x * x;
}
CHECK_NOINLINE __attribute__((const)) static double pure(double x) {
  return x * x + 1;
}
CHECK_NOINLINE static double change_own_copy(double x) {
  x = x * 2;
  return x;
}
CHECK_NOINLINE static double run(double x) {
  double a, b;
  store_square(x, &a);
  double c = store_square(x, &b);
  double d = pure(x) * pure(x);
  double e = change_own_copy(x) + x;
  return a + 10 * c + 100 * d + 1000 * e;
}

int main(void) {
  double x = 2;
  CHECK_CLOSE(__verso_grad(run, x),
              2 * x + 10 * 3 * x * x + 100 * 2 * (x * x + 1) * 2 * x + 1000 * 3,
              1e-15);
  return check_status();
}
