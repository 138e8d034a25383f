//===- kept-calls.cpp - a loop of calls is differentiated as a loop -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM unrolls eight steps, as a call is small; the request inlines what is
// called, once. The loop may be left by an exception.
//
//===----------------------------------------------------------------------===//

// RUN: %clangxx_verso -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx_verso -O2 -S -emit-llvm %s -o - | \
// RUN:   FileCheck --check-prefix=PROGRAM %s

#include <cmath>

extern int verso_dup;
double __verso_grad(void *, ...);

#define FOUR(Lines) Lines Lines Lines Lines

__attribute__((noinline)) static void step(double *x, double dt) {
  if (dt < 0)
    throw dt;
  FOUR(FOUR(FOUR(x[1] += dt / x[2]; x[2] -= dt / x[1];)))
  x[0] += std::sin(x[1]);
}

double f(double *x, double dt) {
  for (int k = 0; k < 8; ++k) {
    step(x, dt);
    dt *= 1.1;
  }
  return x[0];
}

void gradient(double *x, double *dx, double dt) {
  __verso_grad((void *)f, verso_dup, x, dx, dt);
}

// CHECK-LABEL: define {{.*}}@verso.gradient
// CHECK: call {{.*}}double @sin(
// CHECK-NOT: call {{.*}}double @sin(
// CHECK: {{^}$}}

// PROGRAM-LABEL: define {{.*}}@_Z1fPdd
// PROGRAM-COUNT-8: call {{.*}}@_ZL4step
// PROGRAM: }
// PROGRAM-NOT: verso.keeps.loops
