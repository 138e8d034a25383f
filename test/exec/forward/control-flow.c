//===- control-flow.c - all shapes of control flow ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops, switch, goto into loops (irreducible), computed goto, Duff's device,
// recursion of both kinds, early exits; tangents merge where values merge.
//
//===----------------------------------------------------------------------===//

#include "forward.h"

CHECK_NOINLINE static void irreducible(double *x, double *y) {
  double a = x[0], b = x[1];
  int n = 0;
  if (x[2] > 0)
    goto middle;
top:
  a = a * b + x[2];
  ++n;
middle:
  b = sin(a) + b * 0.5;
  n += 2;
  if (n < 11)
    goto top;
  if (n < 13)
    goto middle;
  y[0] = a;
  y[1] = b;
  y[2] = n;
}
CHECK_NOINLINE static void threaded(double *x, double *y) {
  static void *const code[] = {&&add, &&mul, &&swap, &&mul, &&add, &&stop};
  double a = x[0], b = x[1];
  int pc = 0;
  goto *code[pc];
add:
  a += b * x[2];
  goto *code[++pc];
mul:
  a *= b;
  goto *code[++pc];
swap: {
  double t = a;
  a = b;
  b = t;
}
  goto *code[++pc];
stop:
  y[0] = a;
  y[1] = b;
  y[2] = a * b;
}
CHECK_NOINLINE static void device(double *x, double *y) {
  double sum = 1;
  int i = 0, n = 11, rounds = (n + 3) / 4;
  switch (n % 4) {
  case 0:
    do {
      sum += x[i++ % 3] * sum;
    case 3:
      sum *= x[i++ % 3];
    case 2:
      sum -= x[i++ % 3];
    case 1:
      sum = sum * sum / (1 + sum * sum);
    } while (--rounds > 0);
  }
  y[0] = sum;
  y[1] = sum * x[0];
  y[2] = 0;
}
CHECK_NOINLINE static double even(double x, int n);
CHECK_NOINLINE static double odd(double x, int n) {
  return n == 0 ? x : x * even(x + 1, n - 1);
}
static double even(double x, int n) {
  return n == 0 ? 1 : x + odd(x * 0.5, n - 1);
}
CHECK_NOINLINE static double ackermann(double m, double n) {
  if (m < 1)
    return n + m;
  if (n < 1)
    return ackermann(m - 1, n + 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
CHECK_NOINLINE static void recursive(double *x, double *y) {
  y[0] = even(x[0], 9) + odd(x[1], 4);
  y[1] = ackermann(x[2] + 1.5, x[0] + 1);
  y[2] = 1;
  for (int i = 0; i < 20; ++i) {
    if (y[2] > 50)
      break;
    if (i % 3 == 1)
      continue;
    y[2] += x[i % 3] * y[2] * y[2] * 0.1;
  }
}
CHECK_NOINLINE static void selected(double *x, double *y) {
  double best = x[0];
  for (int i = 1; i < 3; ++i)
    best = x[i] > best ? x[i] : best;
  y[0] = best * best;
  y[1] = fmin(x[0], fmax(x[1], x[2])) * x[0];
  double *p = x[0] > x[1] ? x : x + 1;
  *p *= 3;
  y[2] = x[0] * x[1];
}

int main(void) {
  double x[] = {0.7, 1.3, 0.4}, z[] = {0.7, 1.3, -0.4};
  CHECK_TRANSPOSE(irreducible, 3, 3, x);
  CHECK_TRANSPOSE(irreducible, 3, 3, z);
  CHECK_TRANSPOSE(threaded, 3, 3, x);
  CHECK_TRANSPOSE(device, 3, 3, x);
  CHECK_TRANSPOSE(recursive, 3, 3, x);
  CHECK_TRANSPOSE(selected, 3, 3, x);
  CHECK_TRANSPOSE(selected, 3, 3, z);
  return check_status();
}
