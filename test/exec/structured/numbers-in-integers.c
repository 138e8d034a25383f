//===- numbers-in-integers.c - numbers that are moved as integers ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bits of numbers are chosen, stored, exchanged and compared as integers,
// in local variables and in memory of the caller, and beside integers that are
// none. Reversed control flow takes them for the numbers that they are.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdint.h>

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static double number_of(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/// x_0 max(x_i^2), by the order of the bits, which is that of positive numbers.
CHECK_NOINLINE static double largest(const double *x, int n) {
  uint64_t best = 0;
  for (int i = 0; i < n; ++i) {
    uint64_t each = bits_of(x[i] * x[i]);
    best = each > best ? each : best;
  }
  return number_of(best) * x[0];
}

/// A sum that is exchanged by its bits, as lock-free code does.
CHECK_NOINLINE static double exchanged(const double *x, int n) {
  uint64_t cell = 0;
  for (int i = 0; i < n; ++i) {
    uint64_t seen = __atomic_load_n(&cell, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(&cell, &seen,
                                        bits_of(number_of(seen) + x[i] * x[i]),
                                        0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      ;
  }
  return number_of(cell);
}

/// The bits rest in memory of the caller, in order and reversed.
CHECK_NOINLINE static void reversed(double *to, const double *from, int n) {
  for (int i = 0; i < n; ++i) {
    uint64_t bits;
    memcpy(&bits, &from[n - 1 - i], sizeof bits);
    if (i % 3 == 1)
      bits = bits_of(2 * from[i]);
    memcpy(&to[i], &bits, sizeof bits);
  }
}

union either {
  double number;
  int64_t count;
};
/// An integer or a number, in the same variable; one moves as the other.
CHECK_NOINLINE static double either(const int *kind, const double *x, int n) {
  double sum = 0;
  union either held = {.count = 3};
  for (int i = 0; i < n; ++i) {
    union either next;
    if (kind[i])
      next.number = x[i] * x[i];
    else
      next.count = i;
    int64_t moved = next.count;
    sum += kind[i] ? x[0] * next.number : next.count > 2 ? x[0] : 2 * x[1];
    held.count = i % 2 ? moved : held.count;
    if (kind[i] && i % 2)
      sum += held.number;
  }
  return sum;
}

/// What is overwritten has no derivative left.
CHECK_NOINLINE static double overwritten(double x) {
  uint64_t cell = bits_of(x * x);
  uint64_t before = cell;
  cell = bits_of(5.0);
  return number_of(before) * number_of(cell) + number_of(cell);
}

static double either_of(double *x) {
  return either((const int[]){1, 1, 0, 1, 0}, x, 5);
}
static double largest_of(double *x) { return largest(x, 5); }
static double exchanged_of(double *x) { return exchanged(x, 5); }
static void none(double *x) {
  double to[1] = {7}, dto[1] = {11}, dx[5] = {0};
  __verso_vjp_void(reversed, verso_dup, to, dto, verso_dup, x, dx, 0);
  CHECK_EQUAL(dto[0], 11);
  CHECK_EQUAL(dx[0], 0);
}
/// A gradient inside a gradient.
static double slope(double x) { return __verso_grad(overwritten, x); }

int main(void) {
  double x[] = {0.5, -2, 1.25, 3, -1};
  double dx[5] = {0};
  __verso_grad_void(largest, verso_dup, x, dx, 5);
  CHECK_GRADIENT(largest_of, 5, x, dx, 1e-8);
  memset(dx, 0, sizeof dx);
  __verso_grad_void(exchanged, verso_dup, x, dx, 5);
  CHECK_GRADIENT(exchanged_of, 5, x, dx, 1e-8);
  memset(dx, 0, sizeof dx);
  const int kind[] = {1, 1, 0, 1, 0};
  __verso_grad_void(either, verso_const, kind, verso_dup, x, dx, 5);
  CHECK_GRADIENT(either_of, 5, x, dx, 1e-8);
  double to[5], seed[5] = {1, 10, 100, 1000, 10000}, from[5] = {0};
  __verso_vjp_void(reversed, verso_dup, to, seed, verso_dup, x, from, 5);
  CHECK_EQUAL(from[0], 0);
  CHECK_EQUAL(from[1], 2 * 10 + 1000);
  CHECK_EQUAL(from[2], 100);
  CHECK_EQUAL(from[3], 0);
  CHECK_EQUAL(from[4], 1 + 2 * 10000);
  for (int i = 0; i < 5; ++i)
    CHECK_EQUAL(seed[i], 0);
  none(x);
  CHECK_EQUAL(__verso_grad(overwritten, 3.0), 5 * 6);
  CHECK_EQUAL(__verso_grad(slope, 3.0), 10);
  return check_status();
}
