//===- switch.c - switch --------------------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dense, sparse, with fall-through and default, inside a loop that drives a
// small machine.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

CHECK_NOINLINE static double apply(int code, double x) {
  switch (code) {
  case 0:
    return x * x;
  case 1:
    return sin(x);
  case 2:
    x = x + 1; // Falls through.
  case 3:
    return x * x * x;
  case 1000:
    return 1 / x;
  case -7:
    return exp(x);
  default:
    return 5 * x;
  }
}
CHECK_NOINLINE static double machine(const int *program, double x) {
  double stack[8];
  int top = 0;
  for (stack[0] = x;; ++program) {
    switch (*program) {
    case 'd':
      stack[top + 1] = stack[top];
      ++top;
      break;
    case '*':
      stack[top - 1] *= stack[top];
      --top;
      break;
    case '+':
      stack[top - 1] += stack[top];
      --top;
      break;
    case 's':
      stack[top] = sin(stack[top]);
      break;
    default:
      return stack[0];
    }
  }
}
static double at_2(double x) { return apply(2, x); }

int main(void) {
  double x = 0.75;
  CHECK_EQUAL(__verso_grad(apply, 0, x), 2 * x);
  CHECK_CLOSE(__verso_grad(apply, 1, x), cos(x), 1e-15);
  CHECK_CLOSE(__verso_grad(apply, 2, x), central_difference(at_2, x), 1e-9);
  CHECK_CLOSE(__verso_grad(apply, 3, x), 3 * x * x, 1e-15);
  CHECK_CLOSE(__verso_grad(apply, 1000, x), -1 / (x * x), 1e-15);
  CHECK_CLOSE(__verso_grad(apply, -7, x), exp(x), 1e-15);
  CHECK_EQUAL(__verso_grad(apply, 42, x), 5);
  // x * x + sin(x * x), times itself.
  const int program[] = {'d', '*', 'd', 's', '+', 'd', '*', 0};
  double v = x * x + sin(x * x), dv = 2 * x + 2 * x * cos(x * x);
  CHECK_CLOSE(__verso_grad(machine, verso_const, program, x), 2 * v * dv,
              1e-14);
  return check_status();
}
