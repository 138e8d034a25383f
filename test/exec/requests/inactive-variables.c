//===- inactive-variables.c - variables marked as constant --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is read from a variable that is marked verso_inactive is constant,
// whatever was stored there: globals, those of a thread, of a function and
// local ones, one number or many, at every level and in every mode.
//
//===----------------------------------------------------------------------===//

#include "../derivative.h"
#include <verso/verso.h>

VERSO_INACTIVE static double hidden = 3;
VERSO_INACTIVE double seen = 3;
VERSO_INACTIVE static double several[4];
VERSO_INACTIVE static _Thread_local double own;
static struct pair {
  double a, b;
} copied;
VERSO_INACTIVE static struct pair whole;

CHECK_NOINLINE static void set(double x) { hidden = x * x; }
CHECK_NOINLINE static double of_static(double x) {
  set(x);
  return hidden * x;
}
CHECK_NOINLINE static double of_global(double x) {
  seen = x * x;
  return seen * x;
}
CHECK_NOINLINE static double of_array(double x) {
  for (int i = 0; i < 4; i++)
    several[i] = x * x;
  return several[(int)x] * x;
}
CHECK_NOINLINE static double of_thread(double x) {
  own = x * x;
  return own * x;
}
CHECK_NOINLINE static double of_function(double x) {
  VERSO_INACTIVE static double kept;
  kept = x * x;
  return kept * x;
}
CHECK_NOINLINE static double of_local(double x) {
  VERSO_INACTIVE double k = x * x;
  return k * x;
}
CHECK_NOINLINE static double of_local_array(double x) {
  VERSO_INACTIVE double k[4];
  for (int i = 0; i < 4; i++)
    k[i] = x * x;
  return k[(int)x] * x;
}
CHECK_NOINLINE static double of_sum(double x) {
  VERSO_INACTIVE double k = 0;
  for (int i = 0; i < 3; i++)
    k += x;
  return k * x;
}
CHECK_NOINLINE static double of_copy(double x) {
  whole = (struct pair){x, x * x};
  copied = whole;
  return copied.b * x;
}
CHECK_NOINLINE static double of_parameter(VERSO_INACTIVE double k, double x) {
  return k * x;
}
CHECK_NOINLINE static double through_parameter(double x) {
  return of_parameter(x * x, x);
}

int main(void) {
  CHECK_DERIVATIVE(of_static, 3.0, 9, 0);
  CHECK_DERIVATIVE(of_global, 3.0, 9, 0);
  CHECK_DERIVATIVE(of_array, 3.0, 9, 0);
  CHECK_DERIVATIVE(of_thread, 3.0, 9, 0);
  CHECK_DERIVATIVE(of_function, 3.0, 9, 0);
  CHECK_DERIVATIVE(of_local, 3.0, 9, 0);
  CHECK_DERIVATIVE(of_local_array, 3.0, 9, 0);
  CHECK_DERIVATIVE(of_sum, 3.0, 9, 0);
  CHECK_DERIVATIVE(of_copy, 3.0, 9, 0);
  CHECK_DERIVATIVE(through_parameter, 3.0, 9, 0);
  return check_status();
}
