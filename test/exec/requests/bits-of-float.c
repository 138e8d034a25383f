//===- bits-of-float.c - an integer that becomes a float -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structure of floats may be passed as an integer. An integer whose bytes the
// function puts into a float looks alike, but it is a parameter of its own and
// takes no derivative.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdint.h>
#include <string.h>

extern int verso_dup, verso_out, verso_const;
double __verso_grad(void *, ...);
double __verso_jvp(void *, ...);
struct pair {
  float a, b;
};
struct pair __verso_grad_pair(void *, ...);

CHECK_NOINLINE static float scaled(float x, uint32_t bits, int times) {
  float y[2] = {x, x};
  memcpy(&y[1], &bits, sizeof(bits));
  return y[0] * y[1] * times;
}
CHECK_NOINLINE static double wide(double x, uint64_t bits, long times) {
  double y;
  memcpy(&y, &bits, sizeof(bits));
  return x * y * times;
}
CHECK_NOINLINE static float product(struct pair p, int times) {
  return p.a * p.b * times;
}

int main(void) {
  const uint32_t two = 0x40000000;
  const uint64_t three = 0x4008000000000000;
  CHECK_EQUAL(__verso_grad(scaled, 1.5f, two, 3), 6);
  CHECK_EQUAL(__verso_grad(scaled, verso_out, 1.5f, verso_const, two, 3), 6);
  CHECK_EQUAL(__verso_jvp(scaled, 1.5f, 2.0f, two, 3), 12);
  CHECK_EQUAL(__verso_grad(wide, 1.5, three, 3L), 9);
  CHECK_EQUAL(__verso_jvp(wide, 1.5, 2.0, three, 3L), 18);
  struct pair d = __verso_grad_pair(product, (struct pair){2, 3}, 4);
  CHECK_EQUAL(d.a, 12);
  CHECK_EQUAL(d.b, 8);
  return check_status();
}
