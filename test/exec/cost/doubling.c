//===- doubling.c - x = x + x sixty times ---------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chain in which each value is used twice: followed use by use it has 2^60
// paths, resolved once a value sixty contributions. Also with the steps behind
// a call and through memory.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double in_registers(double x) {
  for (int i = 0; i < 60; ++i)
    x = x + x;
  return x;
}
CHECK_NOINLINE static double add(double a, double b) { return a + b; }
CHECK_NOINLINE static double by_calls(double x, int n) {
  for (int i = 0; i < n; ++i)
    x = add(x, x);
  return x;
}
CHECK_NOINLINE static double in_memory(double x, int n) {
  double cells[61];
  cells[0] = x;
  for (int i = 0; i < n; ++i)
    cells[i + 1] = cells[i] + cells[i];
  return cells[n];
}

int main(void) {
  CHECK_EQUAL(__verso_grad(in_registers, 1.5), 0x1p60);
  CHECK_EQUAL(__verso_grad(by_calls, 1.5, 60), 0x1p60);
  CHECK_EQUAL(__verso_grad(in_memory, 1.5, 60), 0x1p60);
  return check_status();
}
