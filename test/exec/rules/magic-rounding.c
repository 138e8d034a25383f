//===- magic-rounding.c - numbers rounded by adding a large one ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// (x + C) - C with C = 1.5 * 2^52, or 2^23 for floats, is an integer: its
// derivative is zero, in every spelling, in scalars and in vectors. A sum with
// another constant is a sum.
//
//===----------------------------------------------------------------------===//

#include "../derivative.h"
#include <stdint.h>

typedef double pair __attribute__((vector_size(16)));

static const double Magic = 0x1.8p52;

CHECK_NOINLINE static double difference(double x) {
  double k = (4 * x + Magic) - Magic;
  return (4 * x - k) * (4 * x - k);
}
CHECK_NOINLINE static double sum(double x) {
  double k = -0x1.8p52 + (0x1.8p52 + 4 * x);
  return (4 * x - k) * (4 * x - k);
}
CHECK_NOINLINE static double turned(double x) {
  double k = (4 * x - Magic) + Magic;
  return (4 * x - k) * (4 * x - k);
}
CHECK_NOINLINE static double of_floats(double x) {
  float y = (float)x * 4, k = (y + 0x1.8p23f) - 0x1.8p23f;
  return (y - k) * (y - k);
}
CHECK_NOINLINE static double in_vectors(double x) {
  pair v = {4 * x, 4 * x + 0}, magic = {Magic, Magic};
  pair k = (v + magic) - magic, rest = v - k;
  return 0.5 * (rest[0] * rest[0] + rest[1] * rest[1]);
}
CHECK_NOINLINE static double with_sign(double x) {
  double y = 4 * x, m = copysign(0x1p52, y), k = (y + m) - m;
  return (y - k) * (y - k);
}
CHECK_NOINLINE static double chosen(double x) {
  double y = 4 * x, m = y < 0 ? -0x1p52 : 0x1p52, k = (y + m) - m;
  return (y - k) * (y - k);
}
static double Variable = 0x1.8p52, Small = 0x1p20;
CHECK_NOINLINE static double of_variable(double x) {
  double y = 4 * x, k = (y + Variable) - Variable;
  return (y - k) * (y - k) + ((x + Small) - Small) - x;
}
/// The integer that was rounded to, out of the last places of the sum.
CHECK_NOINLINE static double by_bits(double x) {
  double shifted = 4 * x + Magic, magic = Magic;
  int64_t bits, first;
  memcpy(&bits, &shifted, sizeof bits);
  memcpy(&first, &magic, sizeof first);
  double rest = 4 * x - (double)(bits - first);
  return rest * rest;
}
/// 2^k by the exponent, of a float.
CHECK_NOINLINE static double exponential(double x) {
  float y = (float)x * 1.44269504f, shifted = y + 0x1.8p23f;
  float f = (y - (shifted - 0x1.8p23f)) * 0.69314718f;
  int32_t bits;
  memcpy(&bits, &shifted, sizeof bits);
  bits = (int32_t)((uint32_t)(bits - 0x4b400000 + 127) << 23);
  float power;
  memcpy(&power, &bits, sizeof power);
  return power * (1 + f * (1 + f * (0.5f + f * (1 / 6.f + f / 24))));
}
/// What keeps optimisers from taking the number away again, in memory.
CHECK_NOINLINE static double behind_assembly(double x) {
  pair v = {4 * x, 4 * x}, magic = {Magic, Magic}, k = v + magic;
  __asm__("" : "+g,x"(k));
  double s = 4 * x + Magic;
  __asm__("" : "+m"(s));
  v -= k - magic;
  return v[0] * v[1] + 0 * s;
}
/// A sine as libraries for vectors compute it: the quadrant is in the bits.
CHECK_NOINLINE static double sine(double x) {
  double shifted = x * (2 / M_PI) + Magic, k = shifted - Magic;
  long quadrant;
  memcpy(&quadrant, &shifted, sizeof quadrant);
  double r = x - k * (M_PI / 2), r2 = r * r;
  double s = r * (1 + r2 * (-1. / 6 + r2 * (1. / 120 + r2 * (-1. / 5040 +
                                                             r2 / 362880))));
  double c = 1 + r2 * (-0.5 + r2 * (1. / 24 + r2 * (-1. / 720 + r2 / 40320)));
  double y = quadrant & 1 ? c : s;
  return quadrant & 2 ? -y : y;
}
CHECK_NOINLINE static double above(double x) { // For positive numbers.
  double y = x * x * 4, k = (y + 0x1p52) - 0x1p52;
  return (y - k) * (y - k);
}
/// A distance that is added and taken away again is none, though it rounds.
CHECK_NOINLINE static double northing(double x) {
  float y = (float)x * 4096;
  return (y + 1e7f) - 1e7f;
}
/// Not an integer: 2^50 leaves two places of a fraction, 2 is a number.
CHECK_NOINLINE static double sums(double x) {
  return ((x + 2) - 2) * ((x + 0x1p20) - 0x1p20) * ((x + Magic) - 0x1p52 > 0);
}

int main(void) {
  for (int i = -7; i < 8; i++) {
    double x = 0.3 * i + 0.01, rounded = 8 * (4 * x - rint(4 * x));
    CHECK_DERIVATIVE(difference, x, rounded, 1e-13);
    CHECK_DERIVATIVE(sum, x, rounded, 1e-13);
    CHECK_DERIVATIVE(turned, x, rounded, 1e-13);
    CHECK_DERIVATIVE(of_floats, x, rounded, 1e-5);
    CHECK_DERIVATIVE(in_vectors, x, rounded, 1e-13);
    CHECK_DERIVATIVE(with_sign, x, rounded, 1e-13);
    CHECK_DERIVATIVE(chosen, x, rounded, 1e-13);
    CHECK_DERIVATIVE(of_variable, x, rounded, 1e-9);
    CHECK_DERIVATIVE(by_bits, x, rounded, 1e-13);
    CHECK_DERIVATIVE(exponential, x, exp(x), 1e-3);
    CHECK_DERIVATIVE(behind_assembly, x, rounded, 1e-13);
    CHECK_DERIVATIVE(sine, x, cos(x), 1e-4);
    CHECK_DERIVATIVE(northing, x, 4096, 1e-12);
    double y = 4 * x * x;
    CHECK_DERIVATIVE(above, x, 16 * x * (y - rint(y)), 1e-12);
    CHECK_DERIVATIVE(sums, x, 2 * x, 1e-8);
  }
  return check_status();
}
