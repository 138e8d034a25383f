//===- vector-widths.c - which vectors generated code may use --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is generated uses the vectors that the program's own functions use: of
// 256 bits where the processor, or the user, prefers them. Functions that pass
// larger ones to each other agree on how.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -march=icelake-server -DASM -S %s -o - | FileCheck %s --check-prefix=ASM
// RUN: %clang_verso -O2 -march=icelake-server -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang_verso -O2 -march=icelake-server -mllvm -verso-strategy=taped -S -emit-llvm %s -o - | FileCheck %s

// ASM: ymm
// ASM-NOT: zmm

typedef struct {
  double at[8];
} Tangents;

extern int verso_dup, verso_const, verso_width;
void __verso_grad_void(void *, ...);
Tangents __verso_jvp_wide(void *, ...);
double __verso_jvp(void *, ...);

static void squares(const double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i];
}

__attribute__((noinline)) static double power(double x, int n) {
  return n ? x * power(x, n - 1) : x;
}

// CHECK-DAG: define {{.*}}@{{verso.gradient.squares|squares.twin}}({{.*}} #[[NARROW:[0-9]+]]
// CHECK-DAG: attributes #[[NARROW]] = {{.*}}"min-legal-vector-width"="0"
void gradient(double *x, double *dx, double *y, double *dy, int n) {
  __verso_grad_void((void *)squares, verso_dup, x, dx, verso_dup, y, dy,
                    verso_const, n);
}

#ifndef ASM
// CHECK-DAG: define internal { double, <8 x double> } @power.tangent{{.*}} #[[WIDE:[0-9]+]]
// CHECK-DAG: attributes #[[WIDE]] = {{.*}}"min-legal-vector-width"="512"
Tangents tangents(double x, int n) {
  return __verso_jvp_wide((void *)power, verso_width, 8, verso_dup, x, 1., 2.,
                          3., 4., 5., 6., 7., 8., verso_const, n);
}

// Tangents of tangents stand in structures within a structure.
// CHECK-DAG: define internal { { double, <8 x double> }, { double, <8 x double> } } @product.tangent{{.*}} #[[WIDE]]
__attribute__((noinline)) static double product(const double *x, int n) {
  return n ? *x * product(x + 1, n - 1) : 1;
}
static double sum_of_slopes(const double *x, const double *v, int n) {
  Tangents t = __verso_jvp_wide((void *)product, verso_width, 8, verso_dup, x,
                                v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6,
                                v + 7, verso_const, n);
  return t.at[0] + t.at[7];
}
double curvature(double *x, double *v, double *w, int n) {
  return __verso_jvp((void *)sum_of_slopes, verso_dup, x, w, verso_const, v, n);
}
#endif
