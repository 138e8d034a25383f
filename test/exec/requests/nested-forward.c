//===- nested-forward.c - derivatives of tangents --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward over forward and reverse over forward, of functions that need memory
// for their tangents and of functions that do not, of both in one function: a
// context that is not needed is left out, and only that one. AddressSanitizer
// leaves no room for the tangents of nested requests.
//
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <math.h>

double __verso_jvp(void *, ...);
double __verso_grad_double(void *, ...);

static double cell;

// x^3, without and with memory that somebody else may know.
static double inRegisters(double x) { return x * x * x; }
__attribute__((noinline)) static void multiply(double by) { cell *= by; }
static double inMemory(double x) {
  cell = x;
  multiply(x);
  multiply(x);
  return cell;
}

static double slopeInRegisters(double x) {
  return __verso_jvp(inRegisters, x, 1.0);
}
static double slopeInMemory(double x) { return __verso_jvp(inMemory, x, 1.0); }
static double slopes(double x) {
  return __verso_jvp(inRegisters, x, 1.0) + __verso_jvp(inMemory, x, 1.0) +
         __verso_jvp(inRegisters, x, 2.0);
}
static double recursive(double x, int n) {
  return n ? x * recursive(x, n - 1) : 1;
}
static double slopeOfRecursive(double x) {
  return __verso_jvp(recursive, x, 1.0, 3);
}

int main(void) {
  CHECK_EQUAL(__verso_jvp(slopeInRegisters, 2.0, 1.0), 12);
  CHECK_EQUAL(__verso_jvp(slopeInMemory, 2.0, 1.0), 12);
  CHECK_EQUAL(__verso_jvp(slopes, 2.0, 1.0), 48);
  CHECK_EQUAL(__verso_jvp(slopeOfRecursive, 2.0, 1.0), 12);
  CHECK_EQUAL(__verso_grad_double(slopeInRegisters, 2.0), 12);
  CHECK_EQUAL(__verso_grad_double(slopeInMemory, 2.0), 12);
  CHECK_EQUAL(__verso_grad_double(slopes, 2.0), 48);
  CHECK_EQUAL(__verso_grad_double(slopeOfRecursive, 2.0), 12);
  return check_status();
}
