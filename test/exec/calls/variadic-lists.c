//===- variadic-lists.c - what is done with a va_list ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A list that is copied and read twice, copied half-way, passed on to a
// function of the user and to one of the library, passed by address, started
// twice, kept in an array of lists; a variadic function that is recursive with
// other arguments, and two that call one another.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdarg.h>

CHECK_NOINLINE static double read_list(int count, va_list list) {
  double product = 1;
  while (count--)
    product *= va_arg(list, double);
  return product;
}
CHECK_NOINLINE static double read_address(va_list *list) {
  return va_arg(*list, double);
}

/// (a1 + ... + an) (a1 ... an)
CHECK_NOINLINE static double copied(int count, ...) {
  va_list list, copy;
  va_start(list, count);
  va_copy(copy, list);
  double sum = 0;
  for (int k = 0; k < count; ++k)
    sum += va_arg(list, double);
  sum *= read_list(count, copy);
  va_end(copy);
  va_end(list);
  return sum;
}
/// a1 + a2 a3 + 2 (a2 + a3), the copy in memory that held a list before.
CHECK_NOINLINE static double half_way(int unused, ...) {
  va_list lists[2];
  va_start(lists[0], unused);
  va_start(lists[1], unused);
  double sum = read_address(&lists[0]) + 0 * read_address(&lists[1]);
  va_end(lists[1]);
  va_copy(lists[1], lists[0]);
  sum += read_list(2, lists[0]);
  sum += 2 * read_address(&lists[1]);
  sum += 2 * read_address(&lists[1]);
  va_end(lists[1]);
  va_end(lists[0]);
  return sum;
}
/// a1, as text, and a1^2 a2
CHECK_NOINLINE static double printed(char *text, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(text, 40, format, list);
  va_end(list);
  va_start(list, format);
  double first = va_arg(list, double);
  va_end(list);
  va_start(list, format);
  double product = first * read_list(2, list);
  va_end(list);
  return product;
}
/// x^depth (a1 + a2), through recursion.
CHECK_NOINLINE static double recursive(int depth, double x, ...) {
  va_list list;
  va_start(list, x);
  double a = va_arg(list, double), b = va_arg(list, double);
  va_end(list);
  if (depth == 0)
    return a + b;
  return recursive(depth - 1, x, b * x, a * x);
}
static double odd(int n, ...);
CHECK_NOINLINE static double even(int n, ...) {
  va_list list;
  va_start(list, n);
  double a = va_arg(list, double);
  va_end(list);
  return n ? odd(n - 1, 1, a * a) : a;
}
CHECK_NOINLINE static double odd(int n, ...) {
  va_list list;
  va_start(list, n);
  int add = va_arg(list, int);
  double a = va_arg(list, double);
  va_end(list);
  return n ? even(n - 1, a + add) : 2 * a;
}

static double run_copied(double x) {
  return copied(10, x, 1.0, x, 1.0, 1.0, x, 1.0, 1.0, 1.0, x);
}
static double run_half_way(double x) { return half_way(0, x, x * x, 3 * x); }
static double run_printed(double x) {
  char text[40];
  double y = printed(text, "%.3f %.1f", x, x * x);
  return y + (strcmp(text, "1.250 1.6") == 0 ? x : 0);
}
static double run_recursive(double x) { return recursive(20, x, x * x, 1.0); }
static double run_mutual(double x) { return even(3, x) + odd(2, 0, x); }

int main(void) {
  double x = 1.25, y = x * x;
  // (4 x + 6) x^4
  CHECK_CLOSE(__verso_grad(run_copied, x), 20 * y * y + 24 * y * x, 1e-15);
  // x + 3 x^3 + 2 x^2 + 6 x
  CHECK_CLOSE(__verso_grad(run_half_way, x), 7 + 9 * y + 4 * x, 1e-15);
  // x x x^2 + x
  CHECK_CLOSE(__verso_grad(run_printed, x), 4 * y * x + 1, 1e-15);
  // x^22 + x^20
  CHECK_CLOSE(__verso_grad(run_recursive, x), 22 * pow(x, 21) + 20 * pow(x, 19),
              1e-14);
  // 2 (x^2 + 1)^2 + 2 x^2
  CHECK_CLOSE(__verso_grad(run_mutual, x), 8 * x * (y + 1) + 4 * x, 1e-14);
  return check_status();
}
