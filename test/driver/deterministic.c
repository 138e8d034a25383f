//===- deterministic.c - the same input, the same object file -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bit for bit, at every level and by either strategy, also with several requests
// whose clones compete for names and order. Debug information changes no code.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -c %s -o %t.1.o
// RUN: %clang_verso -O2 -c %s -o %t.2.o
// RUN: cmp %t.1.o %t.2.o
// RUN: %clang_verso -O0 -g -c %s -o %t.3.o
// RUN: %clang_verso -O0 -g -c %s -o %t.4.o
// RUN: cmp %t.3.o %t.4.o
// RUN: env VERSO_OPTIONS=-verso-strategy=taped %clang_verso -O3 -c %s -o %t.5.o
// RUN: env VERSO_OPTIONS=-verso-strategy=taped %clang_verso -O3 -c %s -o %t.6.o
// RUN: cmp %t.5.o %t.6.o
// RUN: %clang_verso -O2 -g -c %s -o %t.g.o
// RUN: llvm-strip --strip-debug %t.g.o -o %t.g.stripped.o
// RUN: llvm-strip --strip-debug %t.1.o -o %t.1.stripped.o
// RUN: llvm-objdump -d --no-leading-addr %t.1.stripped.o | tail -n +4 > %t.1.s
// RUN: llvm-objdump -d --no-leading-addr %t.g.stripped.o | tail -n +4 > %t.g.s
// RUN: diff %t.1.s %t.g.s

#include <math.h>

double __verso_grad(void *, ...);

static double inner(double x) { return sin(x) * x; }
static double a(double x) { return inner(x) + x; }
static double b(double x) { return inner(inner(x)); }
static double (*const table[])(double) = {a, b, inner};
static double c(double x, int i) { return table[i](x); }

double f(double x) { return __verso_grad(a, x) + __verso_grad(b, x); }
double g(double x, int i) { return __verso_grad(c, x, i); }
