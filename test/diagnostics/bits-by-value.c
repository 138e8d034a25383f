//===- bits-by-value.c - the value of a number's bits ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fast logarithm takes the bits of a number for an integer and converts that:
// nobody knows its derivative, and zero is not it.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O0 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -O2 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s

float __verso_grad(void *, ...);
float __verso_jvp(void *, ...);
extern int verso_dup;

static float fast_log2(float x) {
  union {
    float f;
    unsigned i;
  } v = {x};
  // CHECK: bits-by-value.c:[[@LINE+1]]:{{[0-9]+}}: error: the bits of an active number come back through integer arithmetic
  return v.i * 1.1920928955078125e-7f - 126.94269504f;
}

float slope(float x) { return __verso_grad(fast_log2, x); }
float forward(float x) { return __verso_jvp(fast_log2, verso_dup, x, 1.0f); }
