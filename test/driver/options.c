//===- options.c - the plugin's options -----------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On clang's command line and in the environment; an option that does not exist
// is an error.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -mllvm -verso-strategy=taped %s -o %t %verso_libs
// RUN: %t
// RUN: env VERSO_OPTIONS=-verso-strategy=taped %clang_verso -O1 %s -o %t %verso_libs
// RUN: %t
// RUN: not %clang_verso -O1 -mllvm -verso-no-such-option %s -c -o %t.o 2>&1 | FileCheck %s

// CHECK: verso-no-such-option
double __verso_grad(void *, ...);

static double cube(double x) { return x * x * x; }

int main(void) { return __verso_grad(cube, 2.0) != 12; }
