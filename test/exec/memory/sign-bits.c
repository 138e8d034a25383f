//===- sign-bits.c - arithmetic on the sign bit ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sign flips by exclusive or, absolute values by masking, and the sign of one
// number given to another, all on the bits of a double or a float.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdint.h>

static const uint64_t sign = UINT64_C(1) << 63;

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static double from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
CHECK_NOINLINE static double flip(double x) {
  return from_bits(bits_of(x * x) ^ sign);
}
CHECK_NOINLINE static double magnitude(double x) {
  return from_bits(bits_of(x) & ~sign) * x;
}
CHECK_NOINLINE static double with_sign_of(double x, double y) {
  return from_bits((bits_of(x) & ~sign) | (bits_of(y) & sign));
}
CHECK_NOINLINE static float flip_if(float x, int negative) {
  uint32_t bits;
  float y = x * x;
  memcpy(&bits, &y, sizeof bits);
  bits ^= (uint32_t)negative << 31;
  memcpy(&y, &bits, sizeof y);
  return y;
}
/// Out of memory, and one change after the other.
CHECK_NOINLINE static double in_memory(const double *x) {
  uint64_t bits;
  double magnitude, negative;
  memcpy(&bits, x, sizeof bits);
  bits &= ~sign;
  memcpy(&magnitude, &bits, sizeof bits);
  bits ^= sign;
  memcpy(&negative, &bits, sizeof bits);
  return magnitude * magnitude * magnitude + negative;
}
struct two {
  double x, y;
};
struct two __verso_grad_two(void *, ...);

int main(void) {
  CHECK_EQUAL(__verso_grad(flip, 3.0), -6);
  CHECK_EQUAL(__verso_grad(magnitude, 3.0), 6);
  CHECK_EQUAL(__verso_grad(magnitude, -3.0), 6);
  struct two g = __verso_grad_two(with_sign_of, 3.0, -2.0);
  CHECK_EQUAL(g.x, -1);
  CHECK_EQUAL(g.y, 0);
  g = __verso_grad_two(with_sign_of, -3.0, -2.0);
  CHECK_EQUAL(g.x, 1);
  CHECK_EQUAL(__verso_grad_float(flip_if, 3.0f, 1), -6);
  CHECK_EQUAL(__verso_grad_float(flip_if, 3.0f, 0), 6);
  double x = -3, dx = 0;
  __verso_grad_void(in_memory, verso_dup, &x, &dx);
  CHECK_EQUAL(dx, -27 + 1);
  return check_status();
}
