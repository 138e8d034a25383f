//===- goto.c - loops made of goto ----------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop entered at two places, so that its control flow is irreducible, and a
// loop of two interleaved cycles.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double two_entries(double x, int n, int in_the_middle) {
  double y = x;
  if (in_the_middle)
    goto middle;
top:
  y = y * x;
  if (--n <= 0)
    return y;
middle:
  y = sin(y) + x;
  if (--n <= 0)
    return y;
  goto top;
}
CHECK_NOINLINE static double cycles(double x, int n) {
  double a = x, b = 1;
first:
  a = a * 1.5 + b;
  if (n-- <= 0)
    goto done;
  if (n % 3 == 0)
    goto first;
second:
  b = b * a * 0.25;
  if (n-- <= 0)
    goto done;
  if (n % 2 == 0)
    goto second;
  goto first;
done:
  return a + b;
}
/// Of a block both edges lead to where it is entered, and one goes back.
CHECK_NOINLINE static double two_ways_back(double x, int in_the_middle) {
  int i = 0;
  double s = x, t = 1;
  if (in_the_middle)
    goto middle;
top:
  s = s * x + 0.1;
middle:
  t += s * s;
  if (++i < 5) {
    if (i == 2)
      goto middle;
    goto top;
  }
  if (t > 1.5 && i < 9) {
    t *= 0.7;
    goto middle;
  }
  return t;
}
static double two_ways_from_top(double x) { return two_ways_back(x, 0); }
static double two_ways_from_middle(double x) { return two_ways_back(x, 1); }
static double outside_in(double x) { return two_entries(x, 7, 0); }
static double inside_out(double x) { return two_entries(x, 7, 1); }
static double cycles_of_9(double x) { return cycles(x, 9); }

int main(void) {
  double x = 0.9;
  CHECK_CLOSE(__verso_grad(two_entries, x, 7, 0),
              central_difference(outside_in, x), 1e-9);
  CHECK_CLOSE(__verso_grad(two_entries, x, 7, 1),
              central_difference(inside_out, x), 1e-9);
  CHECK_CLOSE(__verso_grad(cycles, x, 9), central_difference(cycles_of_9, x),
              1e-8);
  CHECK_CLOSE(__verso_grad(two_ways_back, x, 0),
              central_difference(two_ways_from_top, x), 1e-8);
  CHECK_CLOSE(__verso_grad(two_ways_back, x, 1),
              central_difference(two_ways_from_middle, x), 1e-8);
  return check_status();
}
