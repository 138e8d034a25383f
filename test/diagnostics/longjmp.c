//===- longjmp.c - longjmp in differentiated code -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Refused clearly: setjmp returns twice, which the sweep cannot follow.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s

#include <setjmp.h>

double __verso_grad(void *, ...);

static jmp_buf escape;
__attribute__((noinline)) static double guarded(double x) {
  if (x < 0)
    longjmp(escape, 1);
  return x * x;
}
static double run(double x) {
  // CHECK: longjmp.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}setjmp{{.*}}, which may return twice{{.*}}; return a status
  if (setjmp(escape))
    return 0;
  return guarded(x);
}

double slope(double x) { return __verso_grad(run, x); }
// CHECK-NOT: Stack dump
