//===- custom-derivative.c - mistakes in derivatives that are given -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each is reported at its line.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O0 -g -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -O2 -g -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -O2 -c %s -o %t.o 2>&1 | FileCheck --check-prefix=PLAIN %s

#include <verso/verso.h>

double square(double x) { return x * x; }
double product(double x, double y) { return x * y; }
float narrow(float x) { return x; }
void fill(double *x) { *x = 1; }
double any(int n, ...) { return n; }
double twice(double x) { return 2 * x; }
double thrice(double x) { return 3 * x; }
int number;

// PLAIN-DAG: error: VERSO_DERIVATIVE: 'square' has 1 numbers among its arguments, and 2 partial derivatives are given; give one for each number by value, in order; 0 where it is zero everywhere (compile with -g to see the source line)

// CHECK-DAG: custom-derivative.c:[[@LINE+1]]:{{.*}}error: VERSO_DERIVATIVE: 'square' has 1 numbers among its arguments, and 2 partial derivatives are given; give one for each number by value
VERSO_DERIVATIVE(square, square, square);
// CHECK-DAG: custom-derivative.c:[[@LINE+1]]:{{.*}}error: VERSO_DERIVATIVE: 'square' has other arguments or another result than 'product'; they have to be the function's, in its order
VERSO_DERIVATIVE(product, square, 0);
// CHECK-DAG: custom-derivative.c:[[@LINE+1]]:{{.*}}error: VERSO_DERIVATIVE: 'fill' does not return a number; use VERSO_DIFFERENTIATE_AS
VERSO_DERIVATIVE(fill, fill);
// CHECK-DAG: custom-derivative.c:[[@LINE+1]]:{{.*}}error: VERSO_DERIVATIVE: 'any' takes any number of arguments; give a function with a fixed number
VERSO_DERIVATIVE(any, square);
// CHECK-DAG: custom-derivative.c:[[@LINE+1]]:{{.*}}error: VERSO_DIFFERENTIATE_AS: the first operand is no function
VERSO_DIFFERENTIATE_AS(&number, square);
// CHECK-DAG: custom-derivative.c:[[@LINE+1]]:{{.*}}error: VERSO_DIFFERENTIATE_AS: the second operand is no function; give the function that is differentiated in place of 'narrow'
VERSO_DIFFERENTIATE_AS(narrow, &number);
VERSO_DERIVATIVE(twice, thrice);
// CHECK-DAG: custom-derivative.c:[[@LINE+1]]:{{.*}}error: 'twice' has two derivatives; give one
VERSO_DERIVATIVE(twice, square);

double floor(double);
// CHECK-DAG: custom-derivative.c:[[@LINE+1]]:{{.*}}error: VERSO_DERIVATIVE: the compiler computes 'floor' itself here, and does not call it; compile with -fno-builtin-floor
VERSO_DERIVATIVE(floor, twice);

double slope(double x) {
  x += floor(x);
  return __verso_grad(square, x) + __verso_grad(twice, x);
}
