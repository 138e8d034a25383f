//===- deterministic.c - the same input, the same object file -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bit for bit, at every level, also with several requests whose clones compete
// for names and order.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -c %s -o %t.1.o
// RUN: %clang_verso -O2 -c %s -o %t.2.o
// RUN: cmp %t.1.o %t.2.o
// RUN: %clang_verso -O0 -g -c %s -o %t.3.o
// RUN: %clang_verso -O0 -g -c %s -o %t.4.o
// RUN: cmp %t.3.o %t.4.o

#include <math.h>

double __verso_grad(void *, ...);

static double inner(double x) { return sin(x) * x; }
static double a(double x) { return inner(x) + x; }
static double b(double x) { return inner(inner(x)); }
static double (*const table[])(double) = {a, b, inner};
static double c(double x, int i) { return table[i](x); }

double f(double x) { return __verso_grad(a, x) + __verso_grad(b, x); }
double g(double x, int i) { return __verso_grad(c, x, i); }
