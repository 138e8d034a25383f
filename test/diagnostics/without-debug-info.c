//===- without-debug-info.c - an error without a location -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without debug information the error still names the functions, and says how
// to get the line.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O1 -c %s -o %t.o 2>&1 | FileCheck %s

double __verso_grad(void *, ...);
double mystery(double);

static double f(double x) { return mystery(x) * x; }

double slope(double x) { return __verso_grad(f, x); }

// CHECK: error: {{.*}}mystery
// CHECK: -gline-tables-only
// CHECK-NOT: Stack dump
