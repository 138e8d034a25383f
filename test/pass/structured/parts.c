//===- parts.c - a function is reversed once for all its calls ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part becomes two functions, which each sweep calls; the frame is what
// crosses from one to the other. A tree of few copies is inlined.
//
//===----------------------------------------------------------------------===//

// RUN: env VERSO_OPTIONS=-verso-parts=always %clang_verso -O1 -S -emit-llvm \
// RUN:   -Rpass-analysis=verso %s -o - 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | \
// RUN:   FileCheck %s --check-prefix=INLINED

extern int verso_dup;
void __verso_grad_void(void *, ...);

__attribute__((noinline)) static void step(double *x, const double *w) {
  x[0] = x[0] * x[0] * w[0];
}

static double f(const double *x, const double *w) {
  double y = x[0];
  step(&y, w);
  step(&y, w);
  step(&y, w + 1);
  return y;
}

void gradient(double *x, double *dx, double *w, double *dw) {
  __verso_grad_void(f, verso_dup, x, dx, verso_dup, w, dw);
}

// REMARK: reversed once for all calls: 'step'
// INLINED-NOT: .recto

// CHECK: define internal ptr @step.part.recto(ptr %0, ptr %1, ptr %2, ptr %3)
// CHECK: [[FRAME:%.*]] = {{.*}}call {{.*}}ptr @__verso_arena_take(i64
// CHECK: load double, ptr %0
// CHECK: ret ptr [[FRAME]]
// CHECK: define internal {{.*}}@step.part.verso(ptr %0)
// CHECK: load double, ptr
// CHECK: define internal {{.*}}@verso.gradient.f(
// CHECK-COUNT-3: call ptr @step.part.recto(
// CHECK-COUNT-3: call {{.*}}@step.part.verso(
// CHECK-NOT: call {{.*}}@step.part
