//===- dead-vectors.cpp - primals in vectors that no tangent needs --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As dead-memory.c, of vectors: one may be empty (a null pointer), they are
// released by their length, and the value is handed on by a function whose
// caller does not take it.
//
//===----------------------------------------------------------------------===//

// RUN: %clangxx_verso -O2 -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -Xclang -llvm-verify-each -S -emit-llvm %s -o - | FileCheck %s

#include <utility>
#include <vector>

extern int verso_dup, verso_const;
double __verso_jvp(void *, ...);

[[gnu::noinline]] static double smooth(const double *x, int n) {
  std::vector<double> now(x, x + n), then = now;
  for (int k = 0; k < 10; ++k) {
    for (int i = 1; i < n; ++i)
      then[i] = 0.5 * (now[i] + now[i - 1]);
    now.swap(then);
  }
  double sum = 0;
  for (double v : now)
    sum += v;
  return sum;
}

[[gnu::noinline]] static double through(const double *x, int n) {
  return smooth(x, n);
}

double tangent(double *x, double *v, int n) {
  return __verso_jvp((void *)through, verso_dup, x, v, verso_const, n);
}

// CHECK-LABEL: define {{.*}}smooth{{.*}}.tangent(
// CHECK-COUNT-1: fmul double
// CHECK-NOT: fmul double
// CHECK: ret {{.*}}double
