//===- caught.cpp - numbers in exceptions ---------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number that is thrown and caught has a derivative, in a loop and through a
// handler that throws again.
//
// FLAGS: -Rpass-missed=verso
//===----------------------------------------------------------------------===//

#include "../check.h"

struct failure {
  int code;
  double value;
};
CHECK_NOINLINE static double checked(double x, int i) {
  if (i % 3 == 0)
    throw failure{2, x * x};
  if (i % 3 == 1)
    throw failure{i, x * i};
  return x;
}
CHECK_NOINLINE static double by_value(double x) {
  try {
    throw x * x;
  } catch (double y) {
    return y * x;
  }
}
CHECK_NOINLINE static double loop(double x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    try {
      sum += checked(x, i);
    } catch (const failure &f) {
      sum += f.value * f.code + (f.code == 2 ? f.value * sum : 0);
    }
  }
  return sum;
}
CHECK_NOINLINE static double twice(double x) {
  try {
    try {
      throw failure{1, x * x};
    } catch (failure &f) {
      f.value *= x;
      throw;
    }
  } catch (const failure &f) {
    return f.value;
  }
}
/// d/dx of the loop, by its own recurrence.
static double derivative(double x, int n) {
  double sum = 0, d = 0;
  for (int i = 0; i < n; ++i)
    if (i % 3 == 0) {
      d += 2 * x * (2 + sum) + x * x * d;
      sum += x * x * (2 + sum);
    } else if (i % 3 == 1) {
      d += i * i;
      sum += x * i * i;
    } else {
      d += 1;
      sum += x;
    }
  return d;
}

int main() {
  CHECK_CLOSE(__verso_grad((void *)loop, 0.5, 9), derivative(0.5, 9), 1e-12);
  CHECK_EQUAL(__verso_grad((void *)by_value, 2.0), 12);
  CHECK_EQUAL(__verso_grad((void *)twice, 2.0), 12);
  return check_status();
}
