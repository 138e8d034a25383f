//===- strategy-of-a-function.c - a strategy by annotation ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function may ask for the strategy of its own gradients. Remarks say which
// one was taken; an unknown one is an error at the request.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -gline-tables-only -Rpass=verso -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %clang_verso -O0 -gline-tables-only -Rpass=verso -mllvm -verso-strategy=taped -c %s -o %t.o 2>&1 | FileCheck --check-prefix=TAPED %s
// RUN: not %clang_verso -O1 -gline-tables-only -DMISTAKE -c %s -o %t.o 2>&1 | FileCheck --check-prefix=MISTAKE %s
// RUN: not %clang_verso -O1 -gline-tables-only -DIMPOSSIBLE -c %s -o %t.o 2>&1 | FileCheck --check-prefix=IMPOSSIBLE %s

#include <verso/verso.h>

VERSO_STRATEGY(taped) static double cube(double x) { return x * x * x; }
VERSO_STRATEGY(structured) static double fourth(double x) {
  return x * x * x * x;
}
static double fifth(double x) { return x * x * x * x * x; }

double slopes(double x) {
  // CHECK: remark: gradient of 'cube' by tape
  // TAPED: remark: gradient of 'cube' by tape
  double s = __verso_grad(cube, x);
  // CHECK: remark: gradient of 'fourth' by reversed control flow
  // TAPED: remark: gradient of 'fourth' by reversed control flow
  s += __verso_grad(fourth, x);
  // CHECK: remark: gradient of 'fifth' by reversed control flow
  // TAPED: remark: gradient of 'fifth' by tape
  return s + __verso_grad(fifth, x);
}

#ifdef MISTAKE
VERSO_STRATEGY(fastest) static double plain(double x) { return x; }
double mistake(double x) {
  // MISTAKE: strategy-of-a-function.c:[[@LINE+1]]:{{[0-9]+}}: error: 'plain' asks for the strategy 'fastest'; there are auto, taped and structured
  return __verso_grad(plain, x);
}
#endif

#ifdef IMPOSSIBLE
extern double *where;
VERSO_STRATEGY(structured) static double shared(double x) {
  *where = x;
  return *where * x;
}
double impossible(double x) {
  // IMPOSSIBLE: strategy-of-a-function.c:[[@LINE+1]]:{{[0-9]+}}: error: cannot reverse the control flow of 'shared': a number that varies is stored where nobody knows
  return __verso_grad(shared, x);
}
#endif
