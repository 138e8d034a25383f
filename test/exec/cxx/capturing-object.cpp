//===- capturing-object.cpp - a request on an object with state -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function is a static wrapper around a callable that is given as a
// constant pointer: a lambda with captures, by value and by reference.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

template <class F> static double call(const F *f, double x) { return (*f)(x); }
template <class F> static double slope(const F &f, double x) {
  return __verso_grad((void *)call<F>, verso_const, &f, x);
}

int main() {
  double a = 3, b = 5;
  auto by_value = [a, b](double x) { return a * x * x + b * x; };
  CHECK_EQUAL(slope(by_value, 2), 17);
  auto by_reference = [&](double x) { return a * x * x * x + b; };
  CHECK_EQUAL(slope(by_reference, 2), 36);
  a = 4;
  CHECK_EQUAL(slope(by_reference, 2), 48);
  int calls = 0;
  auto counting = [&calls](double x) {
    ++calls;
    return x * x;
  };
  CHECK_EQUAL(slope(counting, 3), 6);
  CHECK_EQUAL(calls, 1);
  return check_status();
}
