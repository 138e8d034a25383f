//===- arrays-of-variable-length.c - memory whose size or time varies -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays of variable length, in loops too; blocks that realloc moves; atomic
// operations on memory that one thread has; functions of a variable number of
// arguments.
//
// FLAGS: -Rpass-missed=verso
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdarg.h>
#include <stdatomic.h>

CHECK_NOINLINE static double in_a_loop(const double *x, int n) {
  double sum = 0;
  for (int i = 1; i <= n; ++i) {
    double row[i];
    for (int k = 0; k < i; ++k)
      row[k] = k == 0 ? x[i - 1] : row[k - 1] * x[k];
    for (int k = 0; k < i; ++k)
      sum += row[k] * row[i - 1 - k];
  }
  return sum;
}
CHECK_NOINLINE static double growing(const double *x, int n) {
  double *list = NULL;
  for (int i = 0; i < n; ++i) {
    list = realloc(list, (size_t)(i + 1) * sizeof *list);
    list[i] = x[i] * (i ? list[i - 1] : 1);
  }
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += list[i] * list[i];
  free(list);
  return sum;
}
CHECK_NOINLINE static double atomically(double x) {
  _Atomic double cell;
  atomic_store(&cell, x * x);
  double old = atomic_exchange(&cell, x * 5);
  return old * atomic_load_explicit(&cell, memory_order_relaxed);
}
static double total(int n, ...) {
  va_list list;
  va_start(list, n);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += va_arg(list, double) * (i + 1);
  va_end(list);
  return sum;
}
CHECK_NOINLINE static double variadic(double x, double y) {
  return total(3, x * y, y, x * x) * total(1, y);
}
static double loop_4(double *x) { return in_a_loop(x, 4); }
static double growing_4(double *x) { return growing(x, 4); }

int main(void) {
  double x[] = {1, 2, 0.5, -1}, a[4] = {0}, b[4] = {0};
  __verso_grad_void(in_a_loop, verso_dup, x, a, 4);
  CHECK_GRADIENT(loop_4, 4, x, a, 1e-8);
  __verso_grad_void(growing, verso_dup, x, b, 4);
  CHECK_GRADIENT(growing_4, 4, x, b, 1e-8);
  CHECK_EQUAL(__verso_grad(atomically, 2.0), 5 * 3 * 4);
  // (x y + 2 y + 3 x^2) y with respect to x
  CHECK_EQUAL(__verso_grad(variadic, 2.0, verso_const, 3.0), (3 + 6 * 2) * 3);
  return check_status();
}
