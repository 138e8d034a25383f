//===- zero-selects.c - a test of zero for each choice --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quotient gives to two numbers what comes to it, if that is not zero. In the
// end each has a comparison of its own, so that x86 compares into masks. (Two
// numbers go round: of one, all that comes to it is a multiple, and one branch
// asks. See carried-numbers.c.)
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang_verso -O2 -march=x86-64-v3 -S %s -o - | FileCheck %s --check-prefix=ASM

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static double quotients(const double *x, double y, int n) {
  double q = y, r = 1;
  for (int k = 0; k < n; ++k) {
    double d = x[k] / (1 + x[k] * q + r);
    q += d;
    r -= 2 * d;
  }
  return q + r;
}
void of_quotients(const double *x, double *dx, double y, int n) {
  __verso_grad_void(quotients, verso_dup, x, dx, verso_const, y, verso_const, n);
}

// CHECK-LABEL: define internal void @verso.gradient.quotients(
// CHECK-DAG: %[[IS:.+]] = fcmp oeq double %[[T:.+]], 0.000000e+00
// CHECK-DAG: %[[NOT:.+]] = fcmp une double %[[T]], 0.000000e+00
// CHECK-DAG: select i1 %[[IS]], double 0.000000e+00, double
// CHECK-DAG: select i1 %[[NOT]], double {{.+}}, double 0.000000e+00
// CHECK: ret void

// ASM-LABEL: verso.gradient.quotients:
// ASM-NOT: ucomisd
// ASM: vcmp{{n?}}eqsd
// ASM: vcmp{{n?}}eqsd
// ASM-NOT: ucomisd
// ASM: .cfi_endproc
