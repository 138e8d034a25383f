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

#include "gradient_and_jvp.h"

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

int main() {
  // (x2 + 3 x1) x0
  check<matched>({9, 1.5, 0.5});
  return check_status();
}
