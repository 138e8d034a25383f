//===- bits-in-kernels.c - numbers that come to a kernel as integers ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An integer that holds the bits of a number has no derivative in a kernel, so
// such a run is the tape's, which says that the number is lost.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 %s -mllvm -verso-strategy=taped \
// RUN:   -mllvm -verso-kernels=always -Rpass=verso %verso_libs -o %t 2>&1 \
// RUN:   | FileCheck --check-prefix=SAID %s
// RUN: not %t 2>&1 | FileCheck %s

#include <stdint.h>
#include <string.h>

extern int verso_dup;
double __verso_grad(void *, ...);

__attribute__((noinline)) static double sums(uint64_t bits, const double *x,
                                             double *y, int n) {
  // SAID: bits-in-kernels.c:[[#@LINE+1]]:{{[0-9]+}}: remark: one record
  for (int i = 0; i < n; ++i) {
    uint64_t changed = bits ^ ((uint64_t)(i & 1) << 63);
    double r;
    memcpy(&r, &changed, sizeof r);
    for (int k = 0; k < 3; ++k)
      y[i] += r * x[k];
  }
  return y[0] + 2 * y[1];
}

static double f(const double *x, double *y, int n) {
  double product = x[2] * x[3];
  uint64_t bits;
  memcpy(&bits, &product, sizeof bits);
  return sums(bits, x, y, n);
}

int main(void) {
  double x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, dx[8] = {0}, y[8] = {0}, dy[8] = {0};
  // CHECK: went through integer arithmetic
  __verso_grad((void *)f, verso_dup, x, dx, verso_dup, y, dy, 8);
  return 0;
}
