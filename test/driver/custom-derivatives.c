//===- custom-derivatives.c - given derivatives in links, and what is left -===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A header with custom derivatives in two files of a link: each of them counts
// in both, whichever file a function's body is in. Nothing of ours is left in
// the code, and a file without requests is as it was.
//
//===----------------------------------------------------------------------===//

// RUN: rm -rf %t && mkdir %t
// RUN: %clang_verso -O2 -flto -DOTHER -c %s -o %t/other.o
// RUN: %clang_verso -O2 -flto -c %s -o %t/main.o
// RUN: %clang -flto -fuse-ld=lld -Wl,--load-pass-plugin=%verso_plugin %t/main.o %t/other.o -o %t/linked %verso_libs
// RUN: %t/linked | FileCheck %s
// CHECK: 18 140 22 180
// RUN: %clang_verso -O1 -S -emit-llvm %s -o - -DALONE | FileCheck --check-prefix=LEFT %s
// LEFT-NOT: {{verso.custom|verso.given|verso_derivative|verso_is_differentiated|[.]primal|[.]value}}

#include <stdio.h>
#include <verso/verso.h>

static inline double square(double x) { return x * x; }
static inline double square_x(double x) { return 20 * x; }
VERSO_DERIVATIVE(square, square_x);
double in_other(double);
double in_other_x(double);
#ifndef ALONE
VERSO_DERIVATIVE(in_other, in_other_x);
#endif

#ifdef OTHER
double in_other(double x) { return 7 * x; }
double in_other_x(double x) { return 100; }
double both(double x) { return square(x) * 2 + in_other(x); }
#elif defined(ALONE)
static double cube(double x) { return square(x) * x; }
double slope(double x) { return __verso_jvp(cube, verso_dup, x, 1.0); }
#else
double both(double);
double here(double x) { return square(x) + in_other(x); }
int main(void) {
  printf("%g %g %g %g\n", here(2), __verso_grad(here, 2.0), both(2),
         __verso_grad(both, 2.0));
}
#endif
