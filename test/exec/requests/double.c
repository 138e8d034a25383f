//===- double.c - one scalar in, its derivative out -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simplest request: a function of one double. Also a request for a function
// that does not depend on its argument, for one that is linear in it, and with
// the argument marked explicitly.
//
// LEVELS: O0 O0g O1 O2g O3 Os
//
//===----------------------------------------------------------------------===//

#include "../check.h"

static double square(double x) { return x * x; }
static double constant(double x) {
  (void)x;
  return 42;
}
static double twice(double x) { return x + x; }
static double identity(double x) { return x; }
static double wave(double x) { return sin(x) * exp(-x) / (1 + x * x); }

int main(void) {
  CHECK_EQUAL(__verso_grad(square, 3.0), 6);
  CHECK_EQUAL(__verso_grad(square, verso_out, 3.5), 7);
  CHECK_EQUAL(__verso_grad(constant, 3.0), 0);
  CHECK_EQUAL(__verso_grad(twice, 3.0), 2);
  CHECK_EQUAL(__verso_grad(identity, 3.0), 1);
  for (double x = -2; x <= 2; x += 0.25)
    CHECK_CLOSE(__verso_grad(wave, x), central_difference(wave, x), 1e-9);
  return check_status();
}
