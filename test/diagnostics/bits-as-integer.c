//===- bits-as-integer.c - numbers computed from the bits of others -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bits of an active value are mixed and come back as a number: not a
// pattern with a derivative, so an error and never a silent zero. (Others have
// one: exec/memory/linear-bits.c.)
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s

#include <stdint.h>
#include <string.h>

float __verso_grad_float(void *, ...);

static float mixed(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits ^= bits << 7;
  float y;
  memcpy(&y, &bits, sizeof y);
  return y * x;
}

// CHECK: bits-as-integer.c:{{[0-9]+}}:{{[0-9]+}}: error: {{.*}}bits
float slope(float x) { return __verso_grad_float(mixed, x); }
// CHECK-NOT: Stack dump
