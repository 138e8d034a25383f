//===- requests-through-pointers.c - tables with functions that differentiate //
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of functions, one of which makes a request for a function that calls
// by the table. (Twins were made of its twins without an end: the compiler did
// not come back.)
//
//===----------------------------------------------------------------------===//

#include "../check.h"

static double cube(double x) { return x * x * x; }
static double slope(double x);

typedef double Function(double);
double __verso_jvp(Function *, ...);
Function *table[2] = {cube, slope};
int which = 0;

CHECK_NOINLINE static double inner(double x) { return table[which](x) * x; }
CHECK_NOINLINE static double slope(double x) { return __verso_grad(inner, x); }
CHECK_NOINLINE static double twice(double x) { return 2 * slope(x); }
CHECK_NOINLINE static double byTable(double x) { return 2 * table[1](x); }

int main(void) {
  CHECK_CLOSE(slope(1.5), 13.5, 1e-14);
  CHECK_CLOSE(__verso_grad(twice, 1.5), 54, 1e-14);
  CHECK_CLOSE(__verso_grad(byTable, 1.5), 54, 1e-14);
  CHECK_CLOSE(__verso_jvp(twice, verso_dup, 1.5, 1.0), 54, 1e-14);
  return check_status();
}
