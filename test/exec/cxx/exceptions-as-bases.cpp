//===- exceptions-as-bases.cpp - what handlers get ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handler of a base gets a pointer into the exception, one of a pointer gets
// what the exception holds.
//
//===----------------------------------------------------------------------===//

#include "../derivative.h"
#include <exception>

struct Number {
  double v;
};
struct Virtual {
  virtual ~Virtual() = default;
  int tag = 1;
};
struct Second : Virtual, Number {
  explicit Second(double v) : Number{v} {}
};
struct Shared : virtual Number {
  explicit Shared(double v) : Number{v} {}
};
struct Other {
  double w = 1;
};
struct BehindNumbers : Other, Number {
  explicit BehindNumbers(double v) : Number{v} {}
};

template <class Thrown> static double byReference(double x) {
  try {
    throw Thrown(x * x);
  } catch (const Number &e) {
    return e.v * x;
  }
}
CHECK_NOINLINE static double second(double x) { return byReference<Second>(x); }
CHECK_NOINLINE static double shared(double x) { return byReference<Shared>(x); }
CHECK_NOINLINE static double behind(double x) {
  return byReference<BehindNumbers>(x);
}
CHECK_NOINLINE static double by_value(double x) {
  try {
    throw Second(x * x);
  } catch (Number e) {
    return e.v * x;
  }
}
CHECK_NOINLINE static double again(double x) {
  try {
    try {
      throw Second(x * x);
    } catch (Virtual &) {
      throw;
    }
  } catch (Number &e) {
    return e.v * x;
  }
}
/// Two throws, each may be caught as a base of the other's.
CHECK_NOINLINE static double in_turn(double x) {
  double sum = 0;
  for (int i = 0; i < 4; ++i)
    try {
      if (i % 2)
        throw Second(x * x);
      throw BehindNumbers(x * x * 2);
    } catch (const Number &e) {
      sum += e.v * x;
    }
  return sum / 6;
}
CHECK_NOINLINE static double pointer(double x) {
  double y = x * x;
  try {
    throw &y;
  } catch (double *e) {
    return *e * x;
  }
}
CHECK_NOINLINE static double nested(double x) {
  try {
    std::throw_with_nested(Number{x * x});
  } catch (const Number &e) {
    return e.v * x;
  }
}
int main() {
  const double x = 0.45, slope = 3 * x * x;
  CHECK_DERIVATIVE(second, x, slope, 1e-14);
  CHECK_DERIVATIVE(shared, x, slope, 1e-14);
  CHECK_DERIVATIVE(behind, x, slope, 1e-14);
  CHECK_DERIVATIVE(by_value, x, slope, 1e-14);
  CHECK_DERIVATIVE(again, x, slope, 1e-14);
  CHECK_DERIVATIVE(in_turn, x, slope, 1e-14);
  CHECK_DERIVATIVE(pointer, x, slope, 1e-14);
  CHECK_DERIVATIVE(nested, x, slope, 1e-14);
  return check_status();
}
