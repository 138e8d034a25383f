//===- called-as-another-type.c - casts of function pointers --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that is called with more or fewer arguments than it has works on
// many machines. Its twin takes companions after the arguments, so it would take
// one for another: an error that names the call, and no derivative. So does one
// that takes an integer for a pointer, which has a shadow. Integers may stand for
// one another.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -w -O1 -gline-tables-only %s -o %t %verso_libs
// RUN: %t 0
// RUN: not %t 1 2>&1 | FileCheck %s
// RUN: not %t 2 2>&1 | FileCheck %s
// RUN: not %t 3 2>&1 | FileCheck %s
// RUN: not %t 4 2>&1 | FileCheck %s
// RUN: %clang_verso -w -O0 -gline-tables-only -mllvm -verso-strategy=taped %s -o %t.taped %verso_libs
// RUN: %t.taped 0
// RUN: not %t.taped 1 2>&1 | FileCheck %s
// RUN: not %t.taped 2 2>&1 | FileCheck %s
// RUN: not %t.taped 3 2>&1 | FileCheck %s
// RUN: not %t.taped 4 2>&1 | FileCheck %s

// CHECK: verso: error: {{.*}}called-as-another-type.c:[[#]]:[[#]]{{.*}}its own type

#include <math.h>

double __verso_jvp(void *, ...);
double __verso_grad(void *, ...);

typedef double one(double);
typedef double two(double, double);
typedef double withInteger(double, int);
typedef double withLong(double, long);

#define NOINLINE __attribute__((noinline))
NOINLINE static double square(double x) { return x * x; }
NOINLINE static double product(double x, double y) { return x * y; }
NOINLINE static double scaled(double x, int n) { return n * x * x; }
NOINLINE static double by(double x, const double *p) { return x * *p; }

static one *volatile ones;
static two *volatile twos;
static withInteger *volatile withIntegers;
static withLong *volatile withLongs;
static const double five = 5;

static double right(double x) {
  return ones(x) + twos(x, 3) + withIntegers(x, 2) + withLongs(x, 2);
}
static double asTwo(double x) { return twos(x, 3); }
static double asOne(double x) { return ones(x); }
static double asInteger(double x) { return withIntegers(x, 2); }
static double asAddress(double x) { return withLongs(x, (long)&five); }

int main(int count, char **arguments) {
  ones = square;
  twos = product;
  withIntegers = scaled;
  withLongs = (withLong *)scaled;
  (void)count;
  const double expected = 2 * 2 + 3 + 2 * 2 * 2 + 2 * 2 * 2;
  if (fabs(__verso_jvp((void *)right, 2.0, 1.0) - expected) > 1e-14 ||
      fabs(__verso_grad((void *)right, 2.0) - expected) > 1e-14)
    return 1;
  switch (arguments[1][0]) {
  case '1':
    twos = (two *)square;
    return __verso_jvp((void *)asTwo, 2.0, 1.0) != 0;
  case '2':
    ones = (one *)product;
    return __verso_grad((void *)asOne, 2.0) != 0;
  case '3':
    withIntegers = (withInteger *)product;
    return __verso_grad((void *)asInteger, 2.0) != 0;
  case '4':
    withLongs = (withLong *)by;
    return __verso_jvp((void *)asAddress, 2.0, 1.0) != 0;
  }
  return 0;
}
