//===- nothing-left.c - requests and markers are gone after lowering ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No reference to an entry point or to a marker remains in the object file: not
// the markers' definitions, which an Enzyme program might not have.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O0 -c %s -o %t.o
// RUN: llvm-nm -u %t.o | FileCheck %s
// RUN: %clang_verso -O2 -c %s -o %t.o
// RUN: llvm-nm -u %t.o | FileCheck %s

// CHECK-NOT: __verso_grad
// CHECK-NOT: enzyme_
// CHECK-NOT: verso_dup
// CHECK-NOT: verso_const
// CHECK-NOT: __enzyme
extern int verso_dup, verso_const, enzyme_dup, enzyme_const;
void __verso_grad(void *, ...);
void __enzyme_autodiff(void *, ...);

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * y[i];
  return sum;
}

void f(double *x, double *dx, double *y) {
  __verso_grad(dot, verso_dup, x, dx, verso_const, y, verso_const, 3);
  __enzyme_autodiff(dot, enzyme_dup, x, dx, enzyme_const, y, enzyme_const, 3);
  __verso_grad(dot, verso_dup, y, dx, verso_const, x, verso_const, 3);
}
