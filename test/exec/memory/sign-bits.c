//===- sign-bits.c - arithmetic on the sign bit ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sign flips by exclusive or, absolute values by masking, and the sign of one
// number given to another, all on the bits of a double or a float, in variables
// and in place. Integers whose first bit is changed so stay what they are.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdint.h>

double __verso_jvp(void *, ...);

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
/// In place, through a pointer to integers and in a union.
CHECK_NOINLINE static double cubes(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * x[i] * x[i] * x[i];
  return sum;
}
CHECK_NOINLINE static double flip_in_place(double *x, int n) {
  for (int i = 0; i < n; i += 2)
    *(uint64_t *)&x[i] ^= sign;
  return cubes(x, n);
}
CHECK_NOINLINE static double magnitudes(float *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    *(uint32_t *)&x[i] &= 0x7fffffff;
    sum += (i + 1) * x[i] * x[i] * x[i];
  }
  return sum;
}
union number {
  double d;
  uint64_t bits;
};
CHECK_NOINLINE static double flip_union(union number *x, int n) {
  for (int i = 0; i < n; i += 2)
    x[i].bits ^= sign;
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (i + 1) * x[i].d * x[i].d * x[i].d;
  return sum;
}
/// Marks of integers, in a number's place.
CHECK_NOINLINE static double marked(union number *x, int n) {
  double sum = 0;
  for (int i = 1; i < n; ++i) {
    x[i].bits |= sign;
    sum += x[0].d * (double)(x[i].bits & 7);
    x[i].bits &= ~sign;
  }
  return sum;
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
  {
    double y[3] = {1.5, -2, 3}, dy[3] = {0}, z[3] = {1.5, -2, 3}, t[3] = {1};
    __verso_grad_void(flip_in_place, verso_dup, y, dy, verso_const, 3);
    CHECK_EQUAL(y[0], -1.5);
    CHECK_EQUAL(dy[0], -3 * 1.5 * 1.5);
    CHECK_EQUAL(dy[1], 2 * 3 * 2 * 2);
    CHECK_EQUAL(dy[2], -3 * 3 * 3 * 3);
    CHECK_EQUAL(__verso_jvp(flip_in_place, verso_dup, z, t, verso_const, 3),
                -3 * 1.5 * 1.5);
  }
  {
    float y[2] = {1.5f, -2}, dy[2] = {0}, z[2] = {1.5f, -2}, t[2] = {0, 1};
    __verso_grad_void(magnitudes, verso_dup, y, dy, verso_const, 2);
    CHECK_EQUAL(y[1], 2);
    CHECK_EQUAL(dy[0], 3 * 1.5 * 1.5);
    CHECK_EQUAL(dy[1], -2 * 3 * 2 * 2);
    CHECK_EQUAL(__verso_jvp(magnitudes, verso_dup, z, t, verso_const, 2), -24);
  }
  {
    union number y[2] = {{1.5}, {-2}}, dy[2] = {{0}, {0}};
    union number z[2] = {{1.5}, {-2}}, t[2] = {{1}, {1}};
    __verso_grad_void(flip_union, verso_dup, y, dy, verso_const, 2);
    CHECK_EQUAL(y[0].d, -1.5);
    CHECK_EQUAL(dy[0].d, -3 * 1.5 * 1.5);
    CHECK_EQUAL(dy[1].d, 2 * 3 * 2 * 2);
    CHECK_EQUAL(__verso_jvp(flip_union, verso_dup, z, t, verso_const, 2),
                -3 * 1.5 * 1.5 + 24);
  }
  {
    union number y[3] = {{.d = 1.5}, {.bits = 5}, {.bits = 6}};
    union number dy[3] = {{.d = 0}, {.bits = 0}, {.bits = 0}};
    __verso_grad_void(marked, verso_dup, y, dy, verso_const, 3);
    CHECK_EQUAL(dy[0].d, 11);
    CHECK_EQUAL(y[1].bits, 5);
    CHECK_EQUAL(y[2].bits, 6);
    CHECK_EQUAL(dy[1].bits, 0);
  }
  return check_status();
}
