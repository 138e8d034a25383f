//===- updated-cells.c - adjoints of what is updated in place -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The adjoint of h is cleared, e's is added to, which may be the same memory for
// all that LLVM knows, and h's is added to again. It stays as it is instead, so
// the loop behind the check vectorises, and what e gets from both sides travels.
//
//===----------------------------------------------------------------------===//

// REQUIRES: llvm22
// RUN: %clang_verso -O3 -mavx2 -mfma -fno-discard-value-names -S -emit-llvm %s \
// RUN:   -o - | FileCheck %s

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static void step(double *h, double *e, int n) {
  for (int i = 0; i < n; ++i)
    h[i] = h[i] - 0.7 * (e[i + 1] - e[i]);
}
// CHECK-LABEL: define internal void @verso.gradient.step(
// CHECK: {{^}}vector.body{{[0-9]*}}:
// CHECK: %vector.recur{{[0-9]*}} = phi <4 x double>
// CHECK-NOT: {{^}}}
// CHECK: store <4 x double>
// CHECK: {{^}}}
void gradient(double *h, double *dh, double *e, double *de, int n) {
  __verso_grad_void((void *)step, verso_dup, h, dh, verso_dup, e, de,
                    verso_const, n);
}
