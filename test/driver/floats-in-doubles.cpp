//===- floats-in-doubles.cpp - two floats that are copied as a double -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library copies doubles, each of which is two floats where the function
// reads it, and both sides have adjoints: they cannot be added as doubles.
//
//===----------------------------------------------------------------------===//

// RUN: %clangxx_verso -std=c++20 -O0 -g %s -o %t.0 %verso_libs
// RUN: not %t.0 2>&1 | FileCheck %s
// RUN: %clangxx_verso -std=c++20 -O2 -g %s -o %t.2 %verso_libs
// RUN: not %t.2 2>&1 | FileCheck %s

// CHECK: floats-in-doubles.cpp:[[#@LINE+23]]:{{.*}}: memory that is copied but never read as a number has an adjoint already, and its type is not known

#include <algorithm>
#include <bit>
#include <verso/verso.h>

struct Pair {
  float a, b;
};

static double packed(const double *from, double *to, double x) {
  std::copy(from, from + 3, to);
  Pair first = std::bit_cast<Pair>(from[0]),
       second = std::bit_cast<Pair>(to[1]);
  return x * second.a * second.b + first.b * first.b;
}

int main() {
  double from[3], to[3], dfrom[3], dto[3];
  for (int i = 0; i < 3; ++i) {
    from[i] = to[i] = std::bit_cast<double>(Pair{0.5f, 0.25f});
    dfrom[i] = dto[i] = std::bit_cast<double>(Pair{1, 2});
  }
  __verso_grad((void *)packed, verso_dup, from, dfrom, verso_dup, to, dto, 3.0);
}
