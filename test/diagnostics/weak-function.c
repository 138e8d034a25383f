//===- weak-function.c - a body that another file may replace -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linker may take another definition of a weak function, or of a weak name
// for a function, than the one that would be differentiated.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O0 -gline-tables-only -c %s -o %t.o 2> %t.0
// RUN: FileCheck %s < %t.0
// RUN: not %clang_verso -O2 -gline-tables-only -c %s -o %t.o 2> %t.2
// RUN: FileCheck %s < %t.2
// RUN: not %clang_verso -O2 -gline-tables-only -c %s -o %t.o \
// RUN:   -mllvm -verso-strategy=taped 2> %t.t
// RUN: FileCheck %s < %t.t

double __verso_grad(void *, ...);

double body(double x) { return x * x; }
__attribute__((weak)) double hook(double x) { return x * x; }
double name(double) __attribute__((weak, alias("body")));

__attribute__((noinline)) static double callsHook(double x) {
  // CHECK-DAG: weak-function.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}'hook': it is weak
  return hook(x) * x;
}
__attribute__((noinline)) static double callsName(double x) {
  // CHECK-DAG: weak-function.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}it is weak
  return name(x) * x;
}
double slopes(double x) {
  return __verso_grad((void *)callsHook, x) + __verso_grad((void *)callsName, x);
}
