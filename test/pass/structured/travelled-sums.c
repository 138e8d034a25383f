//===- travelled-sums.c - what sums bring behind their loop ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several phis in the block behind a loop, which had none: in front of what is
// done with them.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -Xclang -llvm-verify-each -S -emit-llvm %s -o - | FileCheck %s

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static double products(const double *x, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k)
    sum += x[k] * x[k + 1] * x[k + 2] * x[k + 3];
  return sum * sum;
}
void of_products(const double *x, double *dx, int n) {
  __verso_grad_void(products, verso_dup, x, dx, verso_const, n);
}

// CHECK-LABEL: define internal void @verso.gradient.products(
// CHECK: ret void
