//===- bytes-of-floats.c - floats that are packed byte by byte --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop writes a float's bytes to an address that is no multiple of 4. By tape
// from -O2 on nothing tells whether all of them are still there when it is read:
// an error, not a gradient of zero.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -gline-tables-only -mllvm -verso-strategy=taped %s -o %t %verso_libs
// RUN: %t | FileCheck %s --check-prefix=RIGHT
// RUN: %clang_verso -O2 -gline-tables-only -mllvm -verso-strategy=taped %s -o %t %verso_libs
// RUN: not %t 2>&1 | FileCheck %s

// RIGHT: 0.75
// CHECK: bytes-of-floats.c:{{[0-9:]+}}: in 'main': the result depends on a number whose bits

#include <stdint.h>
#include <stdio.h>
#include <string.h>

void __verso_grad_void(void *, ...);
extern int verso_dup, verso_const;

static double sent(const double *x, int n, int offset) {
  static uint8_t packet[64];
  uint8_t *b = packet + offset;
  float v = (float)x[0];
  uint32_t u;
  memcpy(&u, &v, 4);
  for (int i = 0; i < n; i++)
    b[i] = u >> 8 * i;
  u = b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
  memcpy(&v, &u, 4);
  return v * v;
}

int main(void) {
  double x = 0.375, dx = 0;
  __verso_grad_void((void *)sent, verso_dup, &x, &dx, verso_const, 4,
                    verso_const, 1);
  printf("%g\n", dx);
}
