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

extern double *where;

__attribute__((noinline)) static double shared(double x, int n) {
  if (n < 2)
    return x;
  *where = x;
  return *where * x + 1;
}

double slope(double x) {
  // CHECK: not-structured.c:[[@LINE+3]]:{{[0-9]+}}: remark: gradient of 'shared' is not structured: a number that varies is stored where nobody knows at {{.*}}not-structured.c:25:10 [-Rpass-missed=verso]
  // CHECK: not-structured.c:[[@LINE+2]]:{{[0-9]+}}: remark: gradient of 'shared' by tape [-Rpass=verso]
  // ERROR: not-structured.c:[[@LINE+1]]:{{[0-9]+}}: error: cannot reverse the control flow of 'shared': a number that varies is stored where nobody knows at {{.*}}not-structured.c:25:10; use -verso-strategy=auto
  return __verso_grad(shared, x, 4);
}

// What an inactive function calls through a pointer is no part of structured
// code: the tape calls it as it is.
extern void (*hook)(double *);
__attribute__((annotate("verso_inactive"), noinline)) static void
reset(double *x) {
  *x = 1;
  hook(x);
}

static double overwritten(double x) {
  double y = x;
  reset(&y);
  return x * y;
}

double second_slope(double x) {
  // CHECK: not-structured.c:[[@LINE+2]]:{{[0-9]+}}: remark: gradient of 'overwritten' is not structured: an inactive function that may overwrite numbers at {{.*}}not-structured.c:42:3 [-Rpass-missed=verso]
  // ERROR: not-structured.c:[[@LINE+1]]:{{[0-9]+}}: error: cannot reverse the control flow of 'overwritten': an inactive function that may overwrite numbers at
  return __verso_grad(overwritten, x);
}
