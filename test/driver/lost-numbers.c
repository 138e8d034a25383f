//===- lost-numbers.c - where a number was lost that the result needs -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A number that is made of another's bits by a hash has no derivative that
// anybody knows. The error says how to find it, and with -verso-check where it
// is: each place once, also where it is read from memory.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O0 -g -mllvm -verso-strategy=taped %s -o %t %verso_libs
// RUN: not %t 2>&1 | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: %clang_verso -O2 -g -mllvm -verso-strategy=taped %s -o %t %verso_libs
// RUN: not %t 2>&1 | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: %clang_verso -O0 -g -mllvm -verso-strategy=taped -mllvm -verso-check %s -o %t %verso_libs
// RUN: not %t 2>&1 | FileCheck %s --check-prefixes=CHECK,WHERE
// RUN: %clang_verso -O2 -g -mllvm -verso-strategy=taped -mllvm -verso-check %s -o %t %verso_libs
// RUN: not %t 2>&1 | FileCheck %s --check-prefixes=CHECK,WHERE

// CHECK: error: {{.*}}'main': the result depends on a number whose bits went through integer arithmetic or were overwritten in part
// PLAIN-SAME: ; compile with -verso-check to be told where such numbers are read
// WHERE-SAME: ; such numbers were read at {{[^,]*}}lost-numbers.c:[[#@LINE+14]]:{{[0-9]+}}: in 'hashed'

#include <stdint.h>
#include <string.h>

extern int verso_dup;
void __verso_grad_void(void *, ...);

__attribute__((noinline)) static void hashed(double *x) {
  for (int i = 0; i < 3; ++i) {
    uint64_t bits;
    memcpy(&bits, &x[i], sizeof bits);
    bits *= UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x3ff0000000000000);
    double made; memcpy(&made, &bits, sizeof made); x[i] = made * made;
  }
}

int main(void) {
  double x[3] = {1, 2, 3}, dx[3] = {1, 1, 1};
  __verso_grad_void((void *)hashed, verso_dup, x, dx);
}
