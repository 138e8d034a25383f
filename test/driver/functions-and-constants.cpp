//===- functions-and-constants.cpp - a pointer to a function is known -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request of the C++ interface names its function, whatever is constant
// beside it: nothing has to be guessed, and there is no second version.
//
//===----------------------------------------------------------------------===//

// RUN: %clangxx_verso -std=c++20 -O2 -mllvm -verso-strategy=structured \
// RUN:   -Rpass=verso %s -o %t %verso_libs 2>&1 | FileCheck %s
// RUN: %t | FileCheck %s --check-prefix=VALUE

#include <verso/verso.hpp>

#include <cstdio>
#include <vector>

static double weighted(const std::vector<double> &x,
                       const std::vector<double> &w, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += w[i] * x[i] * x[i];
  return sum;
}

int main() {
  std::vector<double> x{1, 2, 3}, w{4, 5, 6};
  auto [value, d] = verso::value_and_grad(weighted)(x, verso::constant(w), 3);
  auto &g = std::get<0>(std::tie(d));
  std::printf("%g: %g %g %g\n", value, g[0], g[1], g[2]);
}

// CHECK: remark: {{.*}} by reversed control flow [-Rpass=verso]
// CHECK-NOT: tape
// VALUE: 78: 8 20 36
