//===- lanes-apart.c - loops of several directions vectorise ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In several directions a loop over arrays vectorises where the primal's does,
// over iterations: nothing is gathered. A sum in the order of the program does
// not; there the directions are a vector.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O3 -c %s -o %t.o -Rpass=loop-vectorize 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %clang_verso -O3 -S -emit-llvm %s -o - | FileCheck %s

extern int verso_dup, verso_width;
void __verso_jvp_void(void *, ...);
struct four {
  double d[4];
};
struct four __verso_jvp_four(void *, ...);

// REMARK: lanes-apart.c:[[#@LINE+3]]:3: remark: vectorized loop
static void product(const double *restrict x, double *restrict y, int n) {
#pragma clang loop unroll(disable)
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i] * x[i];
}

// CHECK-LABEL: define {{.*}}@four_products(
// CHECK-NOT: insertelement <4 x double>
// CHECK: load <[[N:[0-9]+]] x double>
// CHECK: fmul <[[N]] x double>
// CHECK: store <[[N]] x double>
// CHECK: ret void
void four_products(double *x, double *d[4], double *y, double *e[4], int n) {
  __verso_jvp_void(product, verso_width, 4, verso_dup, x, d[0], d[1], d[2],
                   d[3], verso_dup, y, e[0], e[1], e[2], e[3], n);
}

static double polynomial(const double *x, int n) {
  double sum = 1;
  for (int i = 0; i < n; ++i)
    sum = sum * x[i] + 1;
  return sum;
}

// CHECK-LABEL: define {{.*}}@four_polynomials(
// CHECK: {{f(mul|muladd|add)}}{{.*}} <4 x double>
// CHECK: ret void
void four_polynomials(double *x, double *d[4], struct four *to, int n) {
  *to = __verso_jvp_four(polynomial, verso_width, 4, verso_dup, x, d[0], d[1],
                         d[2], d[3], n);
}
