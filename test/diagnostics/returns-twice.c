//===- returns-twice.c - functions that come back once more -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Refused clearly: structured code cannot follow a long jump, and nothing knows
// what another function that returns twice does in between.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O1 -gline-tables-only -mllvm -verso-strategy=structured -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=JUMP
// RUN: not %clang_verso -O1 -gline-tables-only -DFORK -c %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s

#include <setjmp.h>

double __verso_grad(double (*)(double), double);
int vfork(void);

static jmp_buf escape;
__attribute__((noinline)) static double guarded(double x) {
  if (x < 0)
    longjmp(escape, 1);
  return x * x;
}
static double run(double x) {
#ifdef FORK
  // CHECK: returns-twice.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}vfork{{.*}}, which may return twice{{.*}}; use setjmp
  if (vfork())
    return 0;
#endif
  if (setjmp(escape))
    return 0;
  return guarded(x);
}

// JUMP: error: cannot reverse the control flow of 'run': 'run' calls setjmp
double slope(double x) { return __verso_grad(run, x); }
// CHECK-NOT: Stack dump
// JUMP-NOT: Stack dump
