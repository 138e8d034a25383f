//===- loop-demands.c - demands on loops are the program's alone ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a generated loop is not transformed as the program's was to be, nobody
// is warned; a sum that may be added up in any order is vectorised (LLVM 19 has
// no place for that).
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O3 -mavx2 -mfma -fopenmp-simd -Werror -S -emit-llvm %s \
// RUN:   -mllvm -verso-strategy=structured -fno-discard-value-names -o %t.ll
// RUN: %if llvm22 %{ FileCheck %s --input-file=%t.ll %}
// RUN: %clang_verso -O3 -mavx2 -mfma -fopenmp-simd -Werror -S -emit-llvm %s \
// RUN:   -mllvm -verso-strategy=taped -o %t.taped.ll
// RUN: %clang_verso -O2 -fopenmp-simd -Werror -S -emit-llvm %s -o %t.O2.ll

extern int verso_dup, verso_const, verso_out;
double __verso_value_and_grad(void *, ...);
void __verso_jvp_void(void *, ...);
void __verso_vjp_void(void *, ...);

static double reduction(const double *x, int n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i];
  return sum;
}
// CHECK-LABEL: define internal double @verso.gradient.reduction(
// CHECK: {{^}}vector.body{{[0-9]*}}:
// CHECK: call <4 x double> @llvm.fmuladd
// CHECK: {{^}}vector.body{{[0-9]*}}:
// CHECK: store <4 x double>
// CHECK: {{^}}}
// CHECK-NOT: llvm.loop.vectorize.enable

// The primal is vectorised or unrolled; what is generated may not be.
static void transformed(const double *restrict x, double *restrict y,
                        const int *restrict index) {
#pragma clang loop vectorize(enable)
  for (int i = 0; i < 1000; ++i)
    y[i] = x[index[i]] * x[index[i]];
#pragma clang loop unroll_count(4)
  for (int i = 0; i < 1000; ++i)
    y[i] = y[i] * x[i] + (i ? y[i - 1] : 0);
#pragma clang loop unroll(full)
  for (int i = 0; i < 20; ++i)
    y[i + 1] *= y[i] * x[i];
}

double both(double *x, double *dx, double *y, double *dy, int *index, int n) {
  __verso_jvp_void((void *)transformed, verso_dup, x, dx, verso_dup, y, dy,
                   verso_const, index);
  __verso_vjp_void((void *)transformed, verso_dup, x, dx, verso_dup, y, dy,
                   verso_const, index);
  return __verso_value_and_grad((void *)reduction, verso_dup, x, dx, n);
}
