//===- global-by-name.c - a global with a shadow, used by its name --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Through the pointer it has a shadow, by its name it would have none: part of
// the derivative would be lost.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O0 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -O2 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s

extern int verso_dup;
double __verso_jvp(void *, ...);
void __verso_grad_void(void *, ...);

double table[2] = {1, 2};
static double both(double *p) { return p[1] * p[1] + p[0] * table[1]; }

double forward(double *tangents) {
  // CHECK-DAG: global-by-name.c:[[@LINE+1]]:{{[0-9]+}}: error: the global variable 'table' is an argument with a shadow and 'both' also uses it by name
  return __verso_jvp(both, verso_dup, table, tangents);
}
void reverse(double *shadow) {
  // CHECK-DAG: global-by-name.c:[[@LINE+1]]:{{[0-9]+}}: error: the global variable 'table'
  __verso_grad_void(both, verso_dup, table, shadow);
}
