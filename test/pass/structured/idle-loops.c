//===- idle-loops.c - loops whose reverse does nothing but count ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How often a search ran is not recorded: of an iteration of the loop around it
// only what it found is kept. A loop that numbers go round is reversed.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -S -emit-llvm %s -o - | FileCheck %s

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static void search(double *y, const double *x, const int *limit, int n) {
  for (int p = 0; p < n; ++p) {
    int k = p;
    while (limit[k] > p)
      k = limit[k];
    y[p] = x[k];
  }
}
void of_search(double *y, double *dy, const double *x, double *dx,
               const int *limit, int n) {
  __verso_grad_void(search, verso_dup, y, dy, verso_dup, x, dx, verso_const,
                    limit, verso_const, n);
}

// CHECK-LABEL: define internal void @verso.gradient.search(
// CHECK: call {{.*}}ptr @__verso_arena_take(
// CHECK-NOT: @__verso_arena_take(
// CHECK: ret void

static void round(double *y, const double *x, const int *limit, int n) {
  for (int p = 0; p < n; ++p) {
    double u = x[p];
    int k = p;
    while (limit[k] > p) {
      u *= 2;
      k = limit[k];
    }
    y[p] = u;
  }
}
void of_round(double *y, double *dy, const double *x, double *dx,
              const int *limit, int n) {
  __verso_grad_void(round, verso_dup, y, dy, verso_dup, x, dx, verso_const,
                    limit, verso_const, n);
}

// CHECK-LABEL: define internal void @verso.gradient.round.disjoint.arguments(
// CHECK: call {{.*}}ptr @__verso_arena_take(
// CHECK-COUNT-2: fmul double
// CHECK: ret void
