//===- watched-memory.c - adjoints of all memory at one distance ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a file that watches there is a version for threads that do: a loop over a
// list has no shadow pointers, and vectorises like any; what it stores has its
// adjoint cleared in the forward sweep. It is asked for where nothing else will
// do, too (the ordinary version cannot tell what is behind a constant argument).
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -S -emit-llvm %s -o %t.ll -Rpass=verso \
// RUN:   2>&1 | FileCheck %s --check-prefix=SAYS
// RUN: FileCheck %s < %t.ll

// SAYS: gradient of 'f' by reversed control flow, and by tape where watched memory has no adjoints of the thread's own
// SAYS: gradient of 'shadowed' by reversed control flow, and by tape while memory is watched

extern int verso_const, verso_dup, verso_out;
double __verso_grad(void *, ...);
void verso_watch(void *, unsigned long);

struct node {
  double w, state;
  struct node *next;
};

// CHECK-LABEL: define internal double @verso.gradient.f.watched(
// CHECK: [[DISTANCE:%.*]] = {{.*}}call i64 @__verso_enter_watched(
// CHECK: store double 0.000000e+00
// CHECK: call void @__verso_end_watched()
// CHECK: ret double
__attribute__((noinline)) static double f(struct node *n, double x) {
  double sum = 0;
  for (; n; n = n->next) {
    n->state = n->state * n->w + x;
    sum += n->state * n->state;
  }
  return sum;
}

__attribute__((noinline)) static double shadowed(const double *w, double *x) {
  return *w * *x;
}

void watch(struct node *n) { verso_watch(&n->w, sizeof n->w); }
double gradient(struct node *n, double x) {
  return __verso_grad((void *)f, verso_const, n, verso_out, x);
}
void other(const double *w, double *x, double *dx) {
  __verso_grad((void *)shadowed, verso_const, w, verso_dup, x, dx);
}
