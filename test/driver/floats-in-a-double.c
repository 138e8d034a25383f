//===- floats-in-a-double.c - a double that is two floats -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two floats are handed to a function as a double, as the ABI has it for some
// structs. Where one of them varies, the tape has no ID for such a number: an
// error, whichever half it is, and no zero.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -mllvm -verso-strategy=taped -DHALF=0 %s -o %t %verso_libs
// RUN: not %t 2>&1 | FileCheck %s
// RUN: %clang_verso -O1 -mllvm -verso-strategy=taped -DHALF=1 %s -o %t %verso_libs
// RUN: not %t 2>&1 | FileCheck %s
// CHECK: error: {{.*}}'main': the result depends on a number whose bits went through integer arithmetic or were overwritten in part

#include <stdio.h>
#include <string.h>

extern int verso_dup;
void __verso_grad_void(void *, ...);

static volatile int never;

__attribute__((noinline)) static double handOver(double both, double other) {
  return never ? other : both;
}

__attribute__((noinline)) static double square(const double *x) {
  float part[2] = {0.5f, 0.25f};
  part[HALF] = (float)x[0];
  double both;
  memcpy(&both, part, sizeof both);
  both = handOver(both, 1);
  memcpy(part, &both, sizeof both);
  return part[HALF] * part[HALF];
}

int main(void) {
  double x = 3, dx = 0;
  __verso_grad_void(square, verso_dup, &x, &dx);
  printf("%g\n", dx);
}
