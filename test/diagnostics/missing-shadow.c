//===- missing-shadow.c - a duplicated pointer without its shadow ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Either the arguments end too early, or what stands where the shadow should be
// is not a pointer.
//
//===----------------------------------------------------------------------===//

// RUN: not %clang_verso -O1 -gline-tables-only -c %s -o %t.o 2>&1 | FileCheck %s

extern int verso_dup;
void __verso_grad_void(void *, ...);

static double first(const double *x) { return x[0]; }
static double scaled(const double *x, int n) { return x[0] * n; }

void at_the_end(const double *x) {
  // CHECK: missing-shadow.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}shadow
  __verso_grad_void(first, verso_dup, x);
}
void not_a_pointer(const double *x) {
  // CHECK: missing-shadow.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}shadow
  __verso_grad_void(scaled, verso_dup, x, 3);
}
void null(const double *x) {
  // CHECK: missing-shadow.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}the shadow of parameter 1 (ptr) is a null pointer; give memory
  __verso_grad_void(first, verso_dup, x, (double *)0);
}
void itself(double *x) {
  // CHECK: missing-shadow.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}the shadow of parameter 1 (ptr) is the argument itself: {{.*}}; give memory of its own
  __verso_grad_void(first, verso_dup, x, x);
}
// CHECK-NOT: Stack dump
