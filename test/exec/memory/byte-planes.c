//===- byte-planes.c - numbers that are copied a byte of each at a time ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of many numbers are copied in planes, in no order, over numbers of the
// caller: constants end their derivative, numbers bring theirs.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { N = 100 };

CHECK_NOINLINE static void copy(char *to, const char *from) {
  static const int order[8] = {2, 0, 3, 1, 6, 5, 7, 4};
  for (int k = 0; k < 8; ++k)
    for (int i = 0; i < N; ++i)
      to[8 * i + order[k]] = from[8 * i + order[k]];
}

static double over_read(double *x, const double *from) {
  double sum = 0;
  for (int i = 0; i < N; ++i)
    sum += x[i] * x[i];
  copy((char *)x, (const char *)from);
  for (int i = 0; i < N; ++i)
    sum += x[i] * (i + 1);
  return sum;
}

static double over_untouched(double *x, const double *from) {
  double sum = 0;
  copy((char *)x, (const char *)from);
  for (int i = 0; i < N; ++i)
    sum += x[i] * (i + 1);
  return sum;
}

static void set(double *x) {
  for (int i = 0; i < N; ++i)
    x[i] = i + 0.3;
}

int main(void) {
  double x[N], from[N], dx[N] = {0}, d[N] = {0};
  for (int i = 0; i < N; ++i)
    from[i] = 0.7 * i;
  set(x);
  __verso_grad(over_read, verso_dup, x, dx, verso_const, from);
  for (int i = 0; i < N; ++i)
    CHECK_CLOSE(dx[i], 2 * (i + 0.3), 1e-15);
  set(x), memset(dx, 0, sizeof(dx));
  __verso_grad(over_untouched, verso_dup, x, dx, verso_const, from);
  for (int i = 0; i < N; ++i)
    CHECK_EQUAL(dx[i], 0);
  set(x);
  __verso_grad(over_read, verso_dup, x, dx, verso_dup, from, d);
  for (int i = 0; i < N; ++i) {
    CHECK_CLOSE(dx[i], 2 * (i + 0.3), 1e-15);
    CHECK_EQUAL(d[i], i + 1);
  }
  return check_status();
}
