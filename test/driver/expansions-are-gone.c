//===- expansions-are-gone.c - variadic functions stay as they are --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variadic function that was differentiated is as clang made it, and what
// stood in for it while its twin was made is deleted, also where no optimiser
// runs. (It is too long for Verso to inline it, so it has a twin.)
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O0 -g -S -emit-llvm %s -o %t.before.ll
// RUN: env VERSO_OPTIONS=-verso-strategy=taped \
// RUN:   %clang_verso -O0 -g -S -emit-llvm %s -o %t.after.ll
// RUN: opt -passes=verify -disable-output %t.after.ll
// RUN: FileCheck %s < %t.before.ll
// RUN: FileCheck %s < %t.after.ll
// RUN: FileCheck %s --check-prefix=GONE --implicit-check-not=verso.expansion \
// RUN:   --implicit-check-not='@sum.expanded(' < %t.after.ll

#include <stdarg.h>

double __verso_grad(void *, ...);

// CHECK-LABEL: define {{.*}}double @sum(i32 noundef %{{[0-9a-z]+}}, ...)
// CHECK-NOT: !verso
// CHECK: call void @llvm.va_start
// CHECK-NOT: {{^}}}
// CHECK: call void @llvm.va_copy
// GONE: define internal {{.*}}@sum.expanded.twin(
double sum(int count, ...) {
  va_list list, copy;
  va_start(list, count);
  va_copy(copy, list);
  double s = 0;
  for (int k = 0; k < count; ++k)
    s += va_arg(list, double) * va_arg(list, double) * va_arg(list, int);
  while (count--)
    s += va_arg(copy, double) * va_arg(copy, double) * va_arg(copy, int);
  va_end(copy);
  va_end(list);
  return s;
}
double run(double x) { return sum(1, x, x, 3); }
double slope(double x) { return __verso_grad(run, x); }
