//===- halves-in-recursion.c - two-byte numbers that many calls read --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What recursion reads again and again has a longer adjoint than it has bits: by
// tape. Vectors of halves in memory that is aligned for them, and no more.
//
// FLAGS: -Rpass-missed=verso
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdlib.h>

typedef _Float16 half;
typedef half halfs __attribute__((vector_size(16)));

CHECK_NOINLINE static double visit(const half *p, int n) {
  return n == 0 ? 0 : (double)*p + visit(p, n - 1);
}
CHECK_NOINLINE static double recursive(const double *x, int n) {
  half a[2];
  a[0] = (half)x[0];
  a[1] = 0;
  return visit(a, n);
}
CHECK_NOINLINE static double vectors(const double *x, int n) {
  halfs *a = (halfs *)malloc(n * sizeof(halfs));
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 8; ++k)
      a[i][k] = (half)(float)(x[0] * (k + 1));
  halfs sum = {0};
  for (int i = 0; i < n; ++i)
    sum += a[i];
  free(a);
  return (double)sum[0] + (double)sum[7];
}

int main(void) {
  double x = 1.5, dx = 0;
  __verso_grad_void((void *)recursive, verso_dup, &x, &dx, verso_const, 5000);
  CHECK_EQUAL(dx, 5000);
  for (int n = 1; n < 6; ++n) {
    dx = 0;
    __verso_grad_void((void *)vectors, verso_dup, &x, &dx, verso_const, n);
    CHECK_EQUAL(dx, 9 * n);
  }
  return check_status();
}
