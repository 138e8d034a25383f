//===- integer-moves.c - floating-point bits in integer registers ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Doubles moved as 64-bit integers, two at a time as 128-bit integers, two
// floats packed into one word, and a value that goes through a bit cast and
// back.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdint.h>

typedef uint64_t __attribute__((may_alias)) word;
typedef unsigned __int128 __attribute__((may_alias, aligned(8))) wide;

CHECK_NOINLINE static void swap_words(double *a, double *b) {
  word t = *(word *)a;
  *(word *)a = *(word *)b;
  *(word *)b = t;
}
CHECK_NOINLINE static double swapped(double x, double y) {
  double a = x * x, b = y * y * y;
  swap_words(&a, &b);
  return 2 * a + 3 * b;
}
CHECK_NOINLINE static double wide_move(double x, double y) {
  double from[2] = {x * y, x + y}, to[2];
  *(wide *)to = *(const wide *)from;
  return to[0] * to[1];
}
CHECK_NOINLINE static uint64_t pack(float a, float b) {
  uint32_t low, high;
  memcpy(&low, &a, sizeof low);
  memcpy(&high, &b, sizeof high);
  return (uint64_t)high << 32 | low;
}
CHECK_NOINLINE static float product_of(uint64_t packed) {
  uint32_t low = (uint32_t)packed, high = (uint32_t)(packed >> 32);
  float a, b;
  memcpy(&a, &low, sizeof a);
  memcpy(&b, &high, sizeof b);
  return a * b;
}
static float packed(float x) { return product_of(pack(x * 2, x * x)); }
CHECK_NOINLINE static double round_trip(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  double y;
  memcpy(&y, &bits, sizeof y);
  return y * y;
}
struct two {
  double x, y;
};
struct two __verso_grad_two(void *, ...);

int main(void) {
  struct two g = __verso_grad_two(swapped, 3.0, 2.0);
  CHECK_EQUAL(g.x, 3 * 2 * 3);
  CHECK_EQUAL(g.y, 2 * 3 * 4);
  g = __verso_grad_two(wide_move, 3.0, 5.0);
  CHECK_EQUAL(g.x, 5 * 8 + 15);
  CHECK_EQUAL(g.y, 3 * 8 + 15);
  CHECK_EQUAL(__verso_grad_float(packed, 3.0f), 54);
  CHECK_EQUAL(__verso_grad(round_trip, 3.0), 6);
  return check_status();
}
