//===- untouched.c - a module without a request ---------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plugin changes nothing in it: the same IR with and without.
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O2 -S -emit-llvm %s -o %t.without.ll
// RUN: %clang_verso -O2 -S -emit-llvm %s -o %t.with.ll
// RUN: diff %t.without.ll %t.with.ll
// RUN: %clang -O0 -S -emit-llvm %s -o %t.without.ll
// RUN: %clang_verso -O0 -S -emit-llvm %s -o %t.with.ll
// RUN: diff %t.without.ll %t.with.ll

#include <math.h>

double norm(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i];
  return sqrt(sum);
}
