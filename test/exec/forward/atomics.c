//===- atomics.c - atomic numbers ---------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Atomic loads, stores, exchanges, fetch-add of doubles, compare-exchange
// loops on the bits.
//
//===----------------------------------------------------------------------===//

#include "forward.h"
#include <stdatomic.h>
#include <stdint.h>

CHECK_NOINLINE static void simple(double *x, double *y) {
  _Atomic double a;
  atomic_init(&a, x[0] * x[1]);
  double old = atomic_exchange(&a, x[2]);
  atomic_store(&a, atomic_load(&a) * old);
  y[0] = atomic_load(&a);
  _Atomic float f = (float)2;
  y[1] = f * old;
}
CHECK_NOINLINE static void bits(double *x, double *y) {
  _Atomic uint64_t cell;
  union {
    double d;
    uint64_t u;
  } c = {x[0] * x[2]};
  atomic_store(&cell, c.u);
  uint64_t seen = atomic_load(&cell);
  c.u = seen;
  y[0] = c.d * x[1];
  c.d = x[1] * x[1];
  c.u = atomic_exchange(&cell, c.u);
  y[1] = c.d;
  c.u = atomic_load(&cell);
  y[1] *= c.d;
}
CHECK_NOINLINE static void loops(double *x, double *y) {
  _Atomic double sum = 0;
  for (int i = 0; i < 3; ++i) {
    double seen = atomic_load(&sum);
    while (!atomic_compare_exchange_weak(&sum, &seen, seen + x[i] * x[i]))
      ;
  }
  y[0] = sum;
  sum += x[0];
  y[1] = sum * x[1];
}

int main(void) {
  double x[] = {0.7, 1.3, -0.4};
  CHECK_TRANSPOSE(simple, 3, 2, x);
  CHECK_TRANSPOSE(bits, 3, 2, x);
  CHECK_TRANSPOSE(loops, 3, 2, x);
  return check_status();
}
