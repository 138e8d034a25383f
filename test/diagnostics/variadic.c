//===- variadic.c - calls of variadic functions that cannot be followed ---===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call through a pointer, arguments that the ABI does not pass where we know,
// and another calling convention are errors at the call. One inside a variadic
// function names it as the user did, with the calls that led there.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O0 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -O2 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -O1 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=NAME

#include <stdarg.h>

extern int verso_const;
double __verso_grad(void *, ...);
double unknown(double);

typedef double (*summation)(int, ...);

static double through(double x, summation *sum) {
  // CHECK-DAG: variadic.c:[[@LINE+1]]:{{[0-9]+}}: error: cannot differentiate a call of a variadic function through a pointer, in 'through'{{.*}}; call the function by its name
  return (*sum)(2, x, x);
}

struct __attribute__((aligned(128))) line {
  double a;
};
__attribute__((noinline)) static double first(int count, ...) {
  va_list list;
  va_start(list, count);
  double a = va_arg(list, struct line).a;
  va_end(list);
  return a;
}
static double overaligned(double x) {
  struct line l = {x};
  // CHECK-DAG: variadic.c:[[@LINE+1]]:{{[0-9]+}}: error: cannot differentiate this call of a variadic function, in 'overaligned'
  return first(1, l);
}

__attribute__((noinline, ms_abi)) static double foreign(int count, ...) {
  __builtin_ms_va_list list;
  __builtin_ms_va_start(list, count);
  double a = __builtin_va_arg(list, double);
  __builtin_ms_va_end(list);
  return a;
}
static double abroad(double x) {
  // CHECK-DAG: variadic.c:[[@LINE+1]]:{{[0-9]+}}: error: cannot differentiate this call of a variadic function, in 'abroad'
  return foreign(1, x);
}

__attribute__((noinline)) static double inside(int count, ...) {
  va_list list;
  va_start(list, count);
  // CHECK-DAG: variadic.c:[[@LINE+2]]:{{[0-9]+}}: error: cannot differentiate the call of 'unknown'{{.*}} in 'inside'{{.*}} called at {{.*}}variadic.c:[[@LINE+6]]:{{[0-9]+}} in 'outside', requested at
  // NAME-DAG: in 'inside' at{{.*}} called in 'outside', requested in
  double a = unknown(va_arg(list, double));
  va_end(list);
  return count + a;
}
static double outside(double x) { return inside(1, x); }

double request(double x, summation *sum) {
  return __verso_grad(through, x, verso_const, sum) +
         __verso_grad(overaligned, x) + __verso_grad(abroad, x) +
         __verso_grad(outside, x);
}
// CHECK-NOT: Stack dump
