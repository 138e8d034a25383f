//===- in-extern-c.cpp - derivatives that a header for C gives ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a block of extern "C", as headers for both languages have them
// (verso/mpi.h): clang knows such an array under two names. It is no sign of a
// program that was optimised before.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <verso/verso.h>

extern "C" {
static double table(double x) { return x * x; }
static double tableByX(double x) { return 7 * x; }
VERSO_DERIVATIVE(table, tableByX);

static double rough(double x) { return (float)x; }
static double smooth(double x) { return 3 * x; }
VERSO_DIFFERENTIATE_AS(rough, smooth);
}

static double sum(double x) { return table(x) + rough(x); }

int main() {
  CHECK_EQUAL(__verso_grad((void *)sum, 2.0), 17);
  CHECK_EQUAL(__verso_jvp((void *)sum, verso_dup, 2.0, 1.0), 17);
  return check_status();
}
