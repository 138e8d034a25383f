//===- recursion.c - direct and mutual recursion --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that calls itself once, twice, with an accumulator, and two
// functions that call each other.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double power(double x, int n) {
  if (n == 0)
    return 1;
  double half = power(x, n / 2);
  return n % 2 ? half * half * x : half * half;
}
CHECK_NOINLINE static double fibonacci(double a, double b, int n) {
  if (n == 0)
    return a;
  if (n == 1)
    return b;
  return fibonacci(a, b, n - 1) + 0.5 * fibonacci(a, b, n - 2);
}
static double odd_part(double x, int n);
CHECK_NOINLINE static double even_part(double x, int n) {
  return n == 0 ? x : odd_part(x * x, n - 1) + x;
}
CHECK_NOINLINE static double odd_part(double x, int n) {
  return n == 0 ? 2 * x : even_part(sin(x), n - 1) * x;
}
CHECK_NOINLINE static double product(const double *x, int n, double so_far) {
  return n == 0 ? so_far : product(x + 1, n - 1, so_far * *x);
}
static double mutual_of_5(double x) { return even_part(x, 5); }

struct two {
  double a, b;
};
struct two __verso_grad_two(void *, ...);

int main(void) {
  CHECK_CLOSE(__verso_grad(power, 1.1, 13), 13 * pow(1.1, 12), 1e-14);
  struct two g = __verso_grad_two(fibonacci, 1.0, 1.0, 5);
  CHECK_CLOSE(g.a, fibonacci(1, 0, 5), 1e-15);
  CHECK_CLOSE(g.b, fibonacci(0, 1, 5), 1e-15);
  CHECK_CLOSE(__verso_grad(even_part, 0.8, 5),
              central_difference(mutual_of_5, 0.8), 1e-9);
  double x[] = {2, 3, 5, 7}, dx[4] = {0};
  CHECK_EQUAL(__verso_grad(product, verso_dup, x, dx, 4, 1.0), 210);
  for (int i = 0; i < 4; ++i)
    CHECK_EQUAL(dx[i], 210 / x[i]);
  return check_status();
}
