//===- variables-first.c - local variables in twins of twins --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A local variable behind a branch is one of variable size to code generation,
// which then passed vectors on a stack that was not aligned for them: a crash in
// three directions of three directions, with AVX.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -mavx -S -emit-llvm %s -o - | FileCheck %s

extern int verso_dup, verso_width;
struct Three {
  double t[3];
};
struct Three __verso_jvp_three(void *, ...);

struct Pair {
  double a, b;
};
static struct Pair sumAndProduct(struct Pair p) {
  return (struct Pair){p.a * p.b, p.a + p.b};
}
static void powers(double *c, double x) {
  c[0] = x;
  c[1] = x * x;
}
static struct Pair (*volatile pair)(struct Pair) = sumAndProduct;
static void (*volatile fill)(double *, double) = powers;

// CHECK-LABEL: define internal {{.*}}@inner.tangent.tangent
// CHECK: alloca [2 x double]
// CHECK-NEXT: alloca [2 x double]
// CHECK-NOT: alloca
// CHECK: {{^}}}
__attribute__((noinline)) static double inner(double x) {
  double d[2], c[2];
  fill(d, x);
  fill(c, x * d[0]);
  struct Pair p = pair((struct Pair){c[0], c[1]});
  return p.a * p.b;
}
__attribute__((noinline)) static double outer(double x) {
  struct Three j = __verso_jvp_three((void *)inner, verso_width, 3, verso_dup,
                                     x, 1.0, 2.0, 3.0);
  return j.t[0] * j.t[2] + j.t[1];
}
double tangent(double x) {
  return __verso_jvp_three((void *)outer, verso_width, 3, verso_dup, x, 1.0,
                           -2.0, 0.5)
      .t[1];
}
