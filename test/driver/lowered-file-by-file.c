//===- lowered-file-by-file.c - an inner request that came first ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plugin at compile time for one file and at link time for all: the outer
// request, which the linker sees, differentiates an inner one that was lowered
// before. Its sweep was left to the runtime then.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O1 -DINNER -mllvm -verso-strategy=taped -emit-llvm -c %s -o %t.taped.bc
// RUN: %clang_verso -O1 -DINNER -emit-llvm -c %s -o %t.auto.bc
// RUN: %clang -O1 -emit-llvm -c %s -o %t.outer.bc
// RUN: llvm-link %t.taped.bc %t.outer.bc -o %t.1.bc
// RUN: opt -load-pass-plugin %verso_plugin -passes='default<O1>' %t.1.bc -o %t.1.opt.bc
// RUN: %clang %t.1.opt.bc -o %t.1 %verso_libs
// RUN: %t.1
// RUN: llvm-link %t.auto.bc %t.outer.bc -o %t.2.bc
// RUN: opt -load-pass-plugin %verso_plugin -passes='default<O1>' %t.2.bc -o %t.2.opt.bc
// RUN: %clang %t.2.opt.bc -o %t.2 %verso_libs
// RUN: %t.2

#include <math.h>
#include <stdio.h>

extern int verso_dup, verso_const;
void __verso_grad_void(void *, ...);
double __verso_jvp(void *, ...);
double weightedGradient(const double *x, int n);

#ifdef INNER
static double g(const double *x, int n) {
  double y[8], sum = 0;
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i] * x[i];
  for (int i = 0; i < n; ++i)
    sum += y[i] * sin(x[(i + 1) % n]);
  return sum;
}

double weightedGradient(const double *x, int n) {
  double dx[8] = {0}, sum = 0;
  __verso_grad_void((void *)g, verso_dup, x, dx, verso_const, n);
  for (int i = 0; i < n; ++i)
    sum += dx[i] * (i + 1);
  return sum;
}
#else
enum { N = 4 };

/// The directional derivative, by hand: sum of w[i] d2g/dx[i]dx[j] v[j].
static double byHand(const double *x, const double *v) {
  double sum = 0;
  for (int i = 0; i < N; ++i) { // The term x[i]^3 sin(x[j]).
    int j = (i + 1) % N;
    double w = i + 1, u = j + 1, a = x[i], b = x[j];
    sum += w * (6 * a * sin(b) * v[i] + 3 * a * a * cos(b) * v[j]) +
           u * (3 * a * a * cos(b) * v[i] - a * a * a * sin(b) * v[j]);
  }
  return sum;
}

int main(void) {
  double x[N] = {.1, .4, .7, .2}, dx[N] = {0}, v[N] = {1, .5, -.3, .2};
  __verso_grad_void((void *)weightedGradient, verso_dup, x, dx, verso_const, N);
  double dot = 0, jvp, hand = byHand(x, v);
  for (int i = 0; i < N; ++i)
    dot += dx[i] * v[i];
  jvp = __verso_jvp((void *)weightedGradient, verso_dup, x, v, verso_const, N);
  printf("%.17g %.17g %.17g\n", dot, jvp, hand);
  return fabs(dot - hand) > 1e-12 || fabs(jvp - hand) > 1e-12;
}
#endif
