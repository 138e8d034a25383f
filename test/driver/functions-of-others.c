//===- functions-of-others.c - pointers to functions defined elsewhere ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file with the request takes the address of a function whose body another
// file has, compiled with -verso-all-twins: in whatever order they are linked,
// and whether or not the other one takes the address too.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -c %s -o %t.o
// RUN: %clang_verso -O1 -DOTHER -mllvm -verso-all-twins -c %s -o %t.1.o
// RUN: %clang_verso -O1 -DOTHER -DTABLE -mllvm -verso-all-twins -c %s -o %t.2.o
// RUN: %clang %t.o %t.1.o -o %t.1 %verso_libs
// RUN: %t.1
// RUN: %clang %t.1.o %t.o -o %t.1 %verso_libs
// RUN: %t.1
// RUN: %clang %t.o %t.2.o -o %t.2 %verso_libs
// RUN: %t.2
// RUN: %clang %t.2.o %t.o -o %t.2 %verso_libs
// RUN: %t.2

double square(double x);

#ifdef OTHER
double square(double x) { return x * x; }
#ifdef TABLE
double (*table[])(double) = {square};
#endif
#else
double __verso_grad(void *, ...);
typedef double function(double);
static function *volatile pointer = square;
static double f(double x) { return pointer(x); }

int main(void) { return __verso_grad((void *)f, 3.0) != 6; }
#endif
