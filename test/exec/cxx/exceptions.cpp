//===- exceptions.cpp - exceptions thrown through differentiated frames ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thrown in a callee and caught in a caller, with destructors on the way, with
// an active value inside the exception, rethrown, and one that leaves partial
// work behind.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <stdexcept>
#include <vector>

struct Overflow {
  double excess;
};
struct Scope {
  explicit Scope(double &target, double value) : target(target), value(value) {}
  ~Scope() { target += value; }
  double &target, value;
};

CHECK_NOINLINE static double checked(double x, double limit) {
  if (x > limit)
    throw Overflow{x - limit};
  return x * x;
}
CHECK_NOINLINE static double through(double x, double limit, double &log) {
  Scope scope(log, x * 3);
  std::vector<double> keep(4, x);
  return checked(keep[2] * 2, limit) + keep[1];
}
CHECK_NOINLINE static double caught(double x, double limit) {
  double log = 0, result = 0;
  for (int i = 0; i < 4; ++i) {
    try {
      result += through(x * (i + 1), limit, log);
    } catch (const Overflow &overflow) {
      result += overflow.excess * 0.5;
    }
  }
  return result + log * log;
}
CHECK_NOINLINE static double rethrown(double x) {
  double progress = x;
  try {
    try {
      progress *= x;
      checked(progress, -1);
      progress *= 100;
    } catch (Overflow &overflow) {
      progress += overflow.excess;
      overflow.excess *= 2;
      throw;
    }
  } catch (const Overflow &overflow) {
    return progress + overflow.excess * x;
  }
  return 0;
}

struct Two {
  double x, y;
};
extern "C" Two __verso_grad_two(void *, ...);

int main() {
  double in[] = {1.5, 6.5};
  Two g = __verso_grad_two((void *)caught, in[0], in[1]);
  double gradient[] = {g.x, g.y};
  CHECK_GRADIENT([](double *v) { return caught(v[0], v[1]); }, 2, in, gradient,
                 1e-8);
  // x^2 + (x^2 + 1) + 2 (x^2 + 1) x.
  CHECK_CLOSE(__verso_grad((void *)rethrown, 3.0), 4 * 3 + 6 * 9 + 2, 1e-14);
  return check_status();
}
