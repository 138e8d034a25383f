//===- bits-by-value.c - the value of a number's bits ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hash of the bits of a number is converted to a number: nobody knows its
// derivative, and zero is not it. (Where the integer is linear in the bits, a
// fast logarithm, it has one: exec/memory/linear-bits.c.)
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O0 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clang_verso -O2 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s

float __verso_grad(void *, ...);
float __verso_jvp(void *, ...);
extern int verso_dup;

static float noise(float x) {
  union {
    float f;
    unsigned i;
  } v = {x};
  // CHECK: bits-by-value.c:[[@LINE+1]]:{{[0-9]+}}: error: the bits of an active number come back through integer arithmetic
  return (v.i * 2654435761u) * 0x1p-32f;
}

float slope(float x) { return __verso_grad(noise, x); }
float forward(float x) { return __verso_jvp(noise, verso_dup, x, 1.0f); }
