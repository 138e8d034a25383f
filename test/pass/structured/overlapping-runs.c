//===- overlapping-runs.c - cells that the next iteration adds to, too ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neighbours of which the next iteration adds to one again are added to one by
// one: a vector would be loaded from what two stores wrote, which a processor
// waits for.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -fno-vectorize -fno-slp-vectorize -S -emit-llvm %s \
// RUN:   -o - | FileCheck %s

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);

static void filter(double *h, double *e, int n) {
  for (int i = 1; i < n; ++i)
    h[i] = 0.5 * h[i - 1] - 0.7 * (e[i + 1] - e[i]);
}
// CHECK-LABEL: define internal void @verso.gradient.filter(
// CHECK-NOT: <2 x double>
// CHECK: ret void
void of_filter(double *h, double *dh, double *e, double *de, int n) {
  __verso_grad_void((void *)filter, verso_dup, h, dh, verso_dup, e, de,
                    verso_const, n);
}
