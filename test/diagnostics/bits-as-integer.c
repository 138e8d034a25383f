//===- bits-as-integer.c - numbers computed from the bits of others -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The well-known approximation of the inverse square root: integer arithmetic
// on the bits of an active value that comes back as a number. Not a pattern
// with a derivative, so an error and never a silent zero.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s

#include <stdint.h>
#include <string.h>

float __verso_grad_float(void *, ...);

static float inverse_root(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits = 0x5f3759df - (bits >> 1);
  float y;
  memcpy(&y, &bits, sizeof y);
  return y * (1.5f - 0.5f * x * y * y);
}

// CHECK: bits-as-integer.c:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}bits
float slope(float x) { return __verso_grad_float(inverse_root, x); }
// CHECK-NOT: Stack dump
