//===- returned-memory.cpp - tangents of memory that is returned ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector by value would come with null pointers, as an empty one.
//
//===----------------------------------------------------------------------===//

// RUN: not %clangxx_verso -O0 -g -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clangxx_verso -O2 -g -c %s -o %t.o 2>&1 | FileCheck %s

#include <vector>

extern int verso_dup;
template <typename Result> Result __verso_jvp(void *, ...);

std::vector<double> squares(const std::vector<double> &x) {
  std::vector<double> y;
  for (double v : x)
    y.push_back(v * v);
  return y;
}

std::vector<double> tangents(std::vector<double> &x, std::vector<double> &dx) {
  // CHECK: returned-memory.cpp:[[@LINE+1]]:{{.*}}error: {{.*}}the function returns a structure of pointers (a vector, say), and nobody would own the memory of its tangents; let it write into an argument (verso_dup)
  return __verso_jvp<std::vector<double>>((void *)squares, verso_dup, &x, &dx);
}
