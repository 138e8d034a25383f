//===- opt.c - the plugin in opt ------------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As a pass of its own and at its place inside the default pipelines. What
// comes out is linked and run. Before a whole pipeline, whose inliner must leave
// requests their frames: the inner one's tells it from the outer one.
//
//===----------------------------------------------------------------------===//

// RUN: %clang -O0 -Xclang -disable-O0-optnone -S -emit-llvm %s -o %t.ll
// RUN: %opt_verso -passes=verso -verify-each %t.ll -o %t.1.bc
// RUN: %opt_verso "-passes=default<O0>" %t.ll -o %t.2.bc
// RUN: %opt_verso "-passes=default<O2>" %t.ll -o %t.3.bc
// RUN: %opt_verso "-passes=default<O3>" %t.ll -o %t.4.bc
// RUN: %opt_verso "-passes=verso,default<O2>" %t.ll -o %t.5.bc
// RUN: %opt_verso -verso-strategy=taped "-passes=verso,default<O2>" %t.ll -o %t.6.bc
// RUN: %clang %t.1.bc -o %t.1 %verso_libs && %t.1
// RUN: %clang %t.2.bc -o %t.2 %verso_libs && %t.2
// RUN: %clang %t.3.bc -o %t.3 %verso_libs && %t.3
// RUN: %clang %t.4.bc -o %t.4 %verso_libs && %t.4
// RUN: %clang %t.5.bc -o %t.5 %verso_libs && %t.5
// RUN: %clang %t.6.bc -o %t.6 %verso_libs && %t.6

extern int verso_dup;
double __verso_grad(void *, ...);
double __verso_jvp(void *, ...);

static double cube(double x) { return x * x * x; }

static double slope(double x) { return __verso_grad(cube, x); }

int main(void) {
  return __verso_grad(cube, 2.0) != 12 ||
         __verso_jvp(slope, verso_dup, 2.0, 1.0) != 12;
}
