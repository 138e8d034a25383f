//===- overwritten-cells.c - a cell that no longer holds the number -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After a store of an integer, a pointer, a constant or of half the bytes, what
// was in a cell before has no effect: images must not outlive the values.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdint.h>

typedef uint32_t __attribute__((may_alias)) half_word;
typedef uint64_t __attribute__((may_alias)) word;

CHECK_NOINLINE static void put_double(void *p, double x) {
  memcpy(p, &x, sizeof x);
}
CHECK_NOINLINE static double get_double(const void *p) {
  double x;
  memcpy(&x, p, sizeof x);
  return x;
}
CHECK_NOINLINE static double constant_over(double x) {
  double cell[1];
  put_double(cell, x * x);
  double before = get_double(cell);
  put_double(cell, 3);
  return before + get_double(cell) * x;
}
CHECK_NOINLINE static double integer_over(double x) {
  double cell[1];
  put_double(cell, x * x);
  *(word *)cell = UINT64_C(0x4008000000000000); // 3.0
  return get_double(cell) * x;
}
CHECK_NOINLINE static double halves_over(double x) {
  double cell[1];
  put_double(cell, x);
  ((half_word *)cell)[0] = 0;
  ((half_word *)cell)[1] = 0x40080000; // 3.0, in two pieces
  return get_double(cell) * x;
}
CHECK_NOINLINE static double memory_reused(double x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double *block = malloc(4 * sizeof *block);
    for (int k = 0; k < 4; ++k)
      block[k] = i % 2 ? k : x;
    for (int k = 0; k < 4; ++k)
      sum += block[k] * block[k] * x;
    free(block);
  }
  return sum;
}

int main(void) {
  CHECK_EQUAL(__verso_grad(constant_over, 5.0), 13);
  CHECK_EQUAL(__verso_grad(integer_over, 5.0), 3);
  CHECK_EQUAL(__verso_grad(halves_over, 5.0), 3);
  // Two rounds of 4 x^3 and two of (0 + 1 + 4 + 9) x.
  CHECK_EQUAL(__verso_grad(memory_reused, 2.0, 4), 2 * 4 * 3 * 4 + 2 * 14);
  return check_status();
}
