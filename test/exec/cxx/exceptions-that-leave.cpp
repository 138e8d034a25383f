//===- exceptions-that-leave.cpp - nothing is kept of a request -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests that exceptions leave, again and again, take no memory for it, nor
// does -verso-check, which judges what is around them.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <malloc.h>

static double square(const double *x, int n) {
  if (n > 2)
    throw n;
  return x[0] * x[0] * n;
}

CHECK_NOINLINE static bool leaves(double *x, double *dx, int n) {
  try {
    __verso_grad_void((void *)square, verso_dup, x, dx, verso_const, n);
  } catch (int) {
    return true;
  }
  return false;
}

static size_t bytesInUse() {
  struct mallinfo2 Now = mallinfo2();
  return Now.uordblks + Now.hblkhd;
}

int main() {
  volatile int n = 3;
  double x = 1.5, dx = 0;
  size_t Before = 0;
  for (int i = 0; i < 20000; ++i) {
    if (i == 1000)
      Before = bytesInUse();
    CHECK(leaves(&x, &dx, n));
  }
  CHECK(bytesInUse() <= Before + 4096);
  CHECK_EQUAL(dx, 0);
  n = 2;
  CHECK(!leaves(&x, &dx, n));
  CHECK_EQUAL(dx, 6);
  return check_status();
}
