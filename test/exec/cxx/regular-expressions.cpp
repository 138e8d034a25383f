//===- regular-expressions.cpp - text between numbers ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A regular expression is compiled, and finds which numbers are used. At one
// level: the library makes very many functions of it.
//
// LEVELS: O0
// HEAVY: the library's headers
// UNCHECKED: it compares with forward mode itself
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <verso/verso.h>

#include <regex>
#include <string>

CHECK_NOINLINE static double matched(const double *x) {
  const std::string text = "k=2;bcd=1;";
  const std::regex pattern("([a-z]+)=([0-2]);");
  double s = 0;
  for (auto m = std::sregex_iterator(text.begin(), text.end(), pattern);
       m != std::sregex_iterator(); ++m)
    s += x[std::stoi((*m)[2])] * (double)(*m)[1].length() * x[0];
  return s;
}

typedef double function(const double *x);

template <function f> static void check(const double (&expected)[3]) {
  double x[3] = {0.5, 2, 3}, dx[3] = {0};
  __verso_grad((void *)f, verso_dup, x, dx);
  for (int i = 0; i < 3; ++i) {
    double t[3] = {0};
    t[i] = 1;
    CHECK_CLOSE(dx[i], expected[i], 1e-14);
    CHECK_CLOSE(__verso_jvp((void *)f, verso_dup, x, t), expected[i], 1e-14);
  }
}

int main() {
  // (x2 + 3 x1) x0
  check<matched>({9, 1.5, 0.5});
  return check_status();
}
