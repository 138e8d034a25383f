//===- enzyme-derivatives.c - mistakes in Enzyme's arrays -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each is reported at its line; none is left out in silence.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O0 -g -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -O2 -g -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -O2 -g -c -DATTRIBUTE %s -o %t.o 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ATTRIBUTE

#include <verso/enzyme.h>

double __enzyme_autodiff(void *, ...);

double square(double x) { return x * x; }
double call(double x) { return __enzyme_autodiff((void *)square, x); }

#ifdef ATTRIBUTE
// ATTRIBUTE: error: enzyme_function_like: no function 'sine' of the arguments of 'wave' is known; give the name of a function of the C library's math.h
__attribute__((enzyme_function_like("sine"))) double wave(double x) {
  return x;
}
#else

void copy(const double *x, double *y) { *y = *x; }
void copy_forward(const double *x, double *dx, double *y, double *dy) {}
void copy_reverse(const double *x, double *dx, double *y, double *dy) {}
// CHECK-DAG: enzyme-derivatives.c:[[@LINE+1]]:{{.*}}error: __enzyme_register_gradient: 'copy' has pointers, and the rule does not say how many numbers they lead to; use VERSO_CUSTOM_VJP of verso/verso.h, which does
void *__enzyme_register_gradient_copy[] = {copy, copy_forward, copy_reverse};

double angle(double x, double y) { return x + y; }
// CHECK-DAG: enzyme-derivatives.c:[[@LINE+1]]:{{.*}}error: __enzyme_function_like: no function 'sin' of the arguments of 'angle' is known
void *__enzyme_function_like_angle[] = {angle, "sin"};

double twice(double x) { return 2 * x; }
// CHECK-DAG: enzyme-derivatives.c:[[@LINE+1]]:{{.*}}error: __enzyme_register_derivative: 'square' does not fit 'twice'; it has a tangent behind each number, and returns one
void *__enzyme_register_derivative_twice[] = {twice, square};

double thrice(double x) { return 3 * x; }
void *thrice_forward(double x) { return 0; }
// CHECK-DAG: enzyme-derivatives.c:[[@LINE+1]]:{{.*}}error: __enzyme_register_gradient: 'angle' does not take what 'thrice_forward' returns first; it is the last argument
void *__enzyme_register_gradient_thrice[] = {thrice, thrice_forward, angle};

extern double table_shadow[2];
// CHECK-DAG: enzyme-derivatives.c:[[@LINE+1]]:{{.*}}error: enzyme_shadow: global variables have no shadows; give a pointer
__attribute__((enzyme_shadow(table_shadow))) double table[2] = {1, 2};

int number;
// CHECK-DAG: enzyme-derivatives.c:[[@LINE+1]]:{{.*}}error: __enzyme_register_derivative: the first operand is no function
void *__enzyme_register_derivative_number[] = {&number, square};
#endif
