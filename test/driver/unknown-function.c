//===- unknown-function.c - a pointer to a function without a twin --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a pointer leads to shows at run time only. A function of another file
// that was compiled without the plugin has no derivative: one line that names
// the call, the documented exit status and the remedy, not a zero. With the
// remedy the file needs no request of its own.
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O1 -DOTHER -c %s -o %t.other.o
// RUN: %clang_verso -O1 -gline-tables-only -c %s -o %t.o
// RUN: %clang %t.o %t.other.o -o %t %verso_libs
// RUN: not %t 2>&1 | FileCheck %s

// RUN: %clang_verso -O1 -DOTHER -c %s -o %t.left.o
// RUN: %clang %t.o %t.left.o -o %t.left %verso_libs
// RUN: not %t.left 2>&1 | FileCheck %s
// RUN: %clang_verso -O1 -DOTHER -mllvm -verso-all-twins -c %s -o %t.all.o
// RUN: %clang %t.o %t.all.o -o %t.all %verso_libs
// RUN: %t.all

// CHECK: verso: error: {{.*}}unknown-function.c:
// CHECK-SAME: -verso-all-twins
typedef double function(double);
function *chosen(int);

#ifdef OTHER
static double square(double x) { return x * x; }
function *chosen(int i) { return i ? square : 0; }
#else
double __verso_grad(void *, ...);
static function *pointer;
static double f(double x) { return pointer(x); }

int main(int count, char **arguments) {
  (void)arguments;
  pointer = chosen(count);
  return __verso_grad(f, 2.0) != 4;
}
#endif
