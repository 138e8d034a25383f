//===- untouched.c - a module without a request ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plugin changes nothing in it: the same bitcode with and without, at every
// level.
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O0 -c -emit-llvm %s -o %t.without.bc
// RUN: %clang_verso -O0 -c -emit-llvm %s -o %t.with.bc
// RUN: cmp %t.without.bc %t.with.bc
// RUN: %clang -O0 -g -c -emit-llvm %s -o %t.without.bc
// RUN: %clang_verso -O0 -g -c -emit-llvm %s -o %t.with.bc
// RUN: cmp %t.without.bc %t.with.bc
// RUN: %clang -O1 -c -emit-llvm %s -o %t.without.bc
// RUN: %clang_verso -O1 -c -emit-llvm %s -o %t.with.bc
// RUN: cmp %t.without.bc %t.with.bc
// RUN: %clang -O2 -c -emit-llvm %s -o %t.without.bc
// RUN: %clang_verso -O2 -c -emit-llvm %s -o %t.with.bc
// RUN: cmp %t.without.bc %t.with.bc
// RUN: %clang -O2 -g -c -emit-llvm %s -o %t.without.bc
// RUN: %clang_verso -O2 -g -c -emit-llvm %s -o %t.with.bc
// RUN: cmp %t.without.bc %t.with.bc
// RUN: %clang -O3 -c -emit-llvm %s -o %t.without.bc
// RUN: %clang_verso -O3 -c -emit-llvm %s -o %t.with.bc
// RUN: cmp %t.without.bc %t.with.bc
// RUN: %clang -Os -c -emit-llvm %s -o %t.without.bc
// RUN: %clang_verso -Os -c -emit-llvm %s -o %t.with.bc
// RUN: cmp %t.without.bc %t.with.bc
// RUN: %clang -Oz -c -emit-llvm %s -o %t.without.bc
// RUN: %clang_verso -Oz -c -emit-llvm %s -o %t.with.bc
// RUN: cmp %t.without.bc %t.with.bc
// RUN: %clang -O2 -flto -c -emit-llvm %s -o %t.without.bc
// RUN: %clang_verso -O2 -flto -c -emit-llvm %s -o %t.with.bc
// RUN: cmp %t.without.bc %t.with.bc
// RUN: %clang -O0 -flto=thin -c -emit-llvm %s -o %t.without.bc
// RUN: %clang_verso -O0 -flto=thin -c -emit-llvm %s -o %t.with.bc
// RUN: cmp %t.without.bc %t.with.bc
// RUN: %clang -O2 -flto=thin -c -emit-llvm %s -o %t.without.bc
// RUN: %clang_verso -O2 -flto=thin -c -emit-llvm %s -o %t.with.bc
// RUN: cmp %t.without.bc %t.with.bc
// RUN: %clangxx -O2 -x c++ -c -emit-llvm %s -o %t.without.bc
// RUN: %clangxx_verso -O2 -x c++ -c -emit-llvm %s -o %t.with.bc
// RUN: cmp %t.without.bc %t.with.bc

#include <math.h>

#ifdef __cplusplus
#include <algorithm>
#include <vector>

double largest(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v.back();
}
#endif

double norm(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i];
  return sqrt(sum);
}
