//===- atomics.c - atomic operations on numbers ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Atomic loads, stores, exchanges and additions of floating-point cells, and an
// addition made of a compare-and-exchange loop on the bits.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdatomic.h>
#include <stdint.h>

CHECK_NOINLINE static double load_store(double x) {
  _Atomic double cell;
  atomic_store(&cell, x * x);
  double old = atomic_exchange(&cell, x * 5);
  return old * atomic_load_explicit(&cell, memory_order_relaxed);
}
CHECK_NOINLINE static double add(double x) {
  double cell = x;
  __atomic_fetch_add(&cell, x * x, __ATOMIC_SEQ_CST);
  double before = __atomic_fetch_sub(&cell, 3 * x, __ATOMIC_SEQ_CST);
  return cell * 10 + before;
}
CHECK_NOINLINE static double compare_exchange(const double *x, int n) {
  _Atomic double sum = 0;
  for (int i = 0; i < n; ++i) {
    double expected = atomic_load(&sum);
    while (
        !atomic_compare_exchange_weak(&sum, &expected, expected + x[i] * x[i]))
      ;
  }
  return atomic_load(&sum);
}

int main(void) {
  CHECK_EQUAL(__verso_grad(load_store, 2.0), 5 * 3 * 4);
  CHECK_EQUAL(__verso_grad(add, 2.0), 10 * (4 - 2) + 5);
  double x[] = {1, 2, 3}, dx[3] = {0};
  __verso_grad_void(compare_exchange, verso_dup, x, dx, 3);
  for (int i = 0; i < 3; ++i)
    CHECK_EQUAL(dx[i], 2 * x[i]);
  return check_status();
}
