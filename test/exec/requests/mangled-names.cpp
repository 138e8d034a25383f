//===- mangled-names.cpp - entry points declared in C++ -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without extern "C": as a variadic function, with a fixed signature, as a
// template over the return type, as a template over everything, and inside a
// namespace, each of which has a mangled name of its own.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"

extern int verso_dup, verso_const, verso_out;
double __verso_grad(void *, ...);
double __verso_grad_fixed(double (*)(double), double);
template <typename Return> Return __verso_grad(void *, ...);
template <typename Return, typename... Arguments>
Return __verso_value_and_grad(void *, Arguments...);
namespace tools {
double __verso_grad(void *, ...);
} // namespace tools

struct ValueAndSlope {
  double value, slope;
};

static double square(double x) { return x * x; }
static float cube(float x) { return x * x * x; }
static double sum(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * i;
  return s;
}

int main() {
  CHECK_EQUAL(__verso_grad((void *)square, 3.0), 6);
  CHECK_EQUAL(__verso_grad_fixed(square, 4.0), 8);
  CHECK_EQUAL(__verso_grad<float>((void *)cube, 2.0f), 12);
  CHECK_EQUAL(tools::__verso_grad((void *)square, verso_out, 5.0), 10);
  auto both = __verso_value_and_grad<ValueAndSlope>((void *)square, 6.0);
  CHECK_EQUAL(both.value, 36);
  CHECK_EQUAL(both.slope, 12);
  double x[] = {1, 2, 3}, dx[] = {0, 0, 0};
  __verso_grad<void>((void *)sum, verso_dup, x, dx, verso_const, 3);
  CHECK_EQUAL(dx[1], 1);
  CHECK_EQUAL(dx[2], 2);
  return check_status();
}
