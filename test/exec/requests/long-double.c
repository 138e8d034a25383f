//===- long-double.c - x87 extended precision -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments, results, arrays and conversions of long double. The value is exact
// in extended precision; a contribution may be kept as a double, so the
// tolerance is that of a double.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

long double __verso_grad_long(void *, ...);

static long double cubic(long double x) { return x * x * x - 2 * x; }
static long double mean(const long double *x, int n) {
  long double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i];
  return sum / n;
}
static double through(double x) {
  long double wide = x;
  wide = sinl(wide) / wide;
  return (double)wide * x;
}

int main(void) {
  CHECK_CLOSE(__verso_grad_long(cubic, 2.0L), 10, 1e-15);
  long double x[] = {1, -2, 3.5L, 0.25L}, dx[4] = {0};
  __verso_grad_void(mean, verso_dup, x, dx, 4);
  for (int i = 0; i < 4; ++i)
    CHECK_CLOSE(dx[i], x[i] / 2, 1e-15);
  CHECK_CLOSE(__verso_grad(through, 0.7), cos(0.7), 1e-14);
  return check_status();
}
