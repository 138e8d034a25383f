//===- throwing-parts.cpp - an exception leaves a part --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FLAGS: -mllvm -verso-parts=always
//
// A part that may throw stays a call where nobody catches; where somebody does,
// it is inlined. What leaves the request does not disturb the next one.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdexcept>
#include <vector>

extern "C" double __verso_jvp(void *, ...);

CHECK_NOINLINE static double folded(std::vector<double> &v, size_t k) {
  double s = 0;
  for (size_t i = 0; i < k; ++i) {
    s += sin(v.at(i)) * v.at(k - i);
    v.at(i) *= 0.5;
  }
  return s;
}
CHECK_NOINLINE static double f(std::vector<double> *x, int n, int m) {
  std::vector<double> y(*x);
  double s = folded(y, n - 1);
  s += folded(y, n / 2) * s;
  try {
    s += folded(y, m);
  } catch (std::out_of_range &) {
    s += 1000 * y[0];
  }
  return s + y[0] + y[1];
}

static void check(int m) {
  std::vector<double> x{.3, .6, .2, .9}, g(4);
  __verso_grad((void *)f, verso_dup, &x, &g, verso_const, 4, verso_const, m);
  for (int i = 0; i < 4; ++i) {
    std::vector<double> e(4);
    e[i] = 1;
    CHECK_CLOSE(g[i],
                __verso_jvp((void *)f, verso_dup, &x, &e, verso_const, 4,
                            verso_const, m),
                1e-13);
  }
}

int main() {
  check(2);
  check(3);
  check(9);
  int caught = 0;
  try {
    std::vector<double> x{.3, .6, .2, .9}, g(4);
    __verso_grad((void *)f, verso_dup, &x, &g, verso_const, 9, verso_const, 1);
  } catch (std::out_of_range &) {
    ++caught;
  }
  CHECK_EQUAL(caught, 1);
  check(2);
  return check_status();
}
