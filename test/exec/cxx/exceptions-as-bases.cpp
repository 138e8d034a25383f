//===- exceptions-as-bases.cpp - what handlers get ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handler of a base gets a pointer into the exception, one of a pointer gets
// what the exception holds, and an exception that was kept is thrown when its
// place is long another's.
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
  CHECK_DERIVATIVE(kept, x, slope, 1e-14);
  CHECK_DERIVATIVE(rethrown, x, 42 * x, 1e-14);
  CHECK_DERIVATIVE(made, x, slope, 1e-14);
  return check_status();
}
