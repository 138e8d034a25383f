//===- unknown-function.c - a pointer to a function without a twin --------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a pointer leads to shows at run time only. A function of another file
// that was compiled without the plugin has no derivative: one line that names
// the call, and the documented exit status, not a zero.
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O1 -DOTHER -c %s -o %t.other.o
// RUN: %clang_verso -O1 -gline-tables-only -c %s -o %t.o
// RUN: %clang %t.o %t.other.o -o %t %verso_libs
// RUN: not %t 2>&1 | FileCheck %s

// CHECK: verso: error: {{.*}}unknown-function.c:
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
