//===- recursion-by-tape.c - small recursion takes the tape ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where recursion that branches does all the work, a few operations a call, a
// tape is faster: then auto takes it, and says so. With a loop that computes,
// with one call an activation, or where the user insists, recursion is
// structured.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -gline-tables-only -Rpass=verso -Rpass-missed=verso -c %s -o %t.o 2>&1 | FileCheck --implicit-check-not=error %s
// RUN: %clang_verso -O1 -mllvm -verso-strategy=structured -c %s -o %t.o 2>&1 | count 0

double __verso_grad(void *, ...);

static double branches(double x, int n) {
  if (n < 2)
    return x;
  double a = branches(x * x, n - 1);
  return a * branches(x, n - 2) + a;
}

static double power(double x, int n) {
  if (n == 0)
    return 1;
  double half = power(x, n / 2);
  return n % 2 ? x * half * half : half * half;
}

static double series(double x, int n) {
  double sum = branches(x, n);
  for (int k = 0; k < n; ++k)
    sum = sum * x + 1;
  return sum;
}

double slopes(double x, int n) {
  // CHECK: recursion-by-tape.c:[[@LINE+2]]:{{[0-9]+}}: remark: gradient of 'branches' is not structured: it is recursive and does little between calls
  // CHECK: recursion-by-tape.c:[[@LINE+1]]:{{[0-9]+}}: remark: gradient of 'branches' by tape
  double d = __verso_grad(branches, x, n);
  // CHECK: recursion-by-tape.c:[[@LINE+1]]:{{[0-9]+}}: remark: gradient of 'power' by reversed control flow
  d += __verso_grad(power, x, n);
  // CHECK: recursion-by-tape.c:[[@LINE+1]]:{{[0-9]+}}: remark: gradient of 'series' by reversed control flow
  return d * __verso_grad(series, x, n);
}
