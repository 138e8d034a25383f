//===- strings-and-streams.cpp - text inside differentiated code ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// String building, string streams and formatted output with active values,
// which stay without derivatives; a number that goes through text is a
// constant.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <sstream>
#include <string>

CHECK_NOINLINE static double logged(double x, int n) {
  std::ostringstream log;
  std::string label;
  for (int i = 0; i < n; ++i) {
    log << "step " << i << ": " << x << '\n';
    label += std::to_string(i) + ",";
    x = x * x * 0.5;
  }
  return x * static_cast<double>(label.size()) +
         (log.str().empty() ? x * 1000 : 0);
}

int main() {
  CHECK_CLOSE(__verso_grad((void *)logged, 1.5, 3),
              6 * 8 * std::pow(1.5, 7) / 128, 1e-14);
  return check_status();
}
