//===- globals.c - global and thread-local variables ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Active values that pass through globals, arrays of globals, static variables
// of a function, and thread-local ones. What is in a global before the request
// is a constant.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double scale = 3;
static double history[8];
static _Thread_local double per_thread = 2;

CHECK_NOINLINE static void remember(int i, double x) { history[i] = x; }
CHECK_NOINLINE static double counter(double x) {
  static double total;
  total = total * 0.5 + x;
  return total;
}
CHECK_NOINLINE static double run(double x) {
  for (int i = 0; i < 8; ++i)
    remember(i, x * i);
  scale = scale * x;
  per_thread += x * x;
  double sum = scale + per_thread;
  for (int i = 0; i < 8; ++i)
    sum += history[i] * history[7 - i];
  return sum;
}
CHECK_NOINLINE static double count_twice(double x) {
  counter(x);
  return counter(x * x);
}

int main(void) {
  // Sum of i (7 - i) for i = 0 .. 7 is 56.
  CHECK_EQUAL(__verso_grad(run, 2.0), 3 + 2 * 2 + 2 * 2 * 56);
  CHECK_EQUAL(scale, 6);
  CHECK_EQUAL(per_thread, 6);
  // What the first request left in the globals is constant to the second.
  CHECK_EQUAL(__verso_grad(run, 2.0), 6 + 2 * 2 + 2 * 2 * 56);
  CHECK_EQUAL(__verso_grad(count_twice, 3.0), 0.5 + 6);
  CHECK_EQUAL(__verso_grad(count_twice, 3.0), 0.5 + 6);
  return check_status();
}
