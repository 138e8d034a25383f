//===- longjmp.c - longjmp in differentiated code -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Refused clearly: setjmp returns twice, which the sweep cannot follow, and a
// long jump leaves functions in their midst.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -O1 -gline-tables-only -DOUTSIDE -c %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=JUMP

#include <setjmp.h>

double __verso_grad(void *, ...);

static jmp_buf escape;
__attribute__((noinline)) static double guarded(double x) {
  if (x < 0)
    // JUMP: longjmp.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'longjmp'{{.*}}no body here and no rule
    longjmp(escape, 1);
  return x * x;
}
#ifdef OUTSIDE
static double run(double x) { return guarded(x); }
#else
static double run(double x) {
  // CHECK: longjmp.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}setjmp{{.*}}, which may return twice{{.*}}; return a status
  if (setjmp(escape))
    return 0;
  return guarded(x);
}
#endif

double slope(double x) { return __verso_grad(run, x); }
// CHECK-NOT: Stack dump
// JUMP-NOT: Stack dump
