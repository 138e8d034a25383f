//===- several-exceptions.cpp - of one throw, at the same time ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A throw may have made another exception by the time that its first one is
// caught: one that was kept, or is thrown again, or flies through a destructor
// that throws and catches.
//
//===----------------------------------------------------------------------===//
// STRATEGY: structured

#include "../derivative.h"
#include <exception>

struct Number {
  double v;
};

CHECK_NOINLINE static double kept(double x) {
  std::exception_ptr all[3];
  for (int i = 0; i < 3; ++i)
    try {
      throw Number{x * x * i};
    } catch (...) {
      all[i] = std::current_exception();
    }
  double sum = 0;
  for (const std::exception_ptr &each : all)
    try {
      std::rethrow_exception(each);
    } catch (const Number &e) {
      sum += e.v * x;
    }
  return sum / 3;
}
CHECK_NOINLINE static double made(double x) {
  std::exception_ptr p = std::make_exception_ptr(Number{x * x});
  try {
    std::rethrow_exception(p);
  } catch (const Number &e) {
    return e.v * x;
  }
}

/// Thrown again when its throw has made two others.
static double deeper(double x, int depth) {
  try {
    throw Number{x};
  } catch (Number &) {
    double inner = depth ? deeper(2 * x, depth - 1) : 0;
    try {
      throw;
    } catch (Number &e) {
      return inner + e.v * x;
    }
  }
}
CHECK_NOINLINE static double rethrown(double x) { return deeper(x, 2); }

/// Its destructor throws and catches while another exception is in flight.
static double sum;
struct Guard {
  double x;
  int depth;
  ~Guard();
};
static void raise(double x, int depth) {
  if (depth == 0)
    throw Number{x * x};
  Guard guard{3 * x, depth - 1};
  throw Number{x};
}
Guard::~Guard() {
  try {
    raise(x, depth);
  } catch (Number &e) {
    sum += e.v;
  }
}
CHECK_NOINLINE static double in_flight(double x) {
  sum = 0;
  try {
    raise(x, 2);
  } catch (Number &e) {
    return sum + e.v;
  }
  return 0;
}

CHECK_NOINLINE static double slope_of_kept(double x) {
  return __verso_grad((void *)kept, x);
}
CHECK_NOINLINE static double slope_in_flight(double x) {
  return __verso_grad((void *)in_flight, x);
}

int main() {
  const double x = 0.45, slope = 3 * x * x;
  CHECK_DERIVATIVE(kept, x, slope, 1e-14);
  CHECK_DERIVATIVE(rethrown, x, 42 * x, 1e-14);
  CHECK_DERIVATIVE(made, x, slope, 1e-14);
  CHECK_DERIVATIVE(in_flight, x, 1 + 3 + 162 * x, 1e-14);
  double second = __verso_jvp((void *)slope_of_kept, verso_dup, x, 1.0);
  CHECK_CLOSE(second, 6 * x, 1e-14);
  second = __verso_jvp((void *)slope_in_flight, verso_dup, x, 1.0);
  CHECK_CLOSE(second, 162, 1e-14);
  return check_status();
}
