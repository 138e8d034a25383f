//===- not-structured.c - why a request takes the tape --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A request that cannot be structured takes the tape and says why and where in a
// remark; where the user insists on it, that is an error at the request's line.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -gline-tables-only -c %s -o %t.o 2>&1 | count 0
// RUN: %clang_verso -O1 -gline-tables-only -Rpass=verso -Rpass-missed=verso -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -O1 -gline-tables-only -mllvm -verso-strategy=structured -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ERROR %s
// RUN: not env VERSO_OPTIONS=-verso-strategy=structured %clang_verso -O0 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ERROR %s

double __verso_grad(void *, ...);

__attribute__((noinline)) static double shared(double x, int n) {
  static volatile double last;
  if (n < 2)
    return x;
  last = x;
  return last * x + 1;
}

double slope(double x) {
  // CHECK: not-structured.c:[[@LINE+3]]:{{[0-9]+}}: remark: gradient of 'shared' is not structured: an atomic or volatile access{{.*}} [-Rpass-missed=verso]
  // CHECK: not-structured.c:[[@LINE+2]]:{{[0-9]+}}: remark: gradient of 'shared' by tape [-Rpass=verso]
  // ERROR: not-structured.c:[[@LINE+1]]:{{[0-9]+}}: error: cannot reverse the control flow of 'shared': an atomic or volatile access{{.*}}; use -verso-strategy=auto
  return __verso_grad(shared, x, 4);
}
