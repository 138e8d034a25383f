//===- dead-memory.c - primals in memory that no tangent needs ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a linear function over two buffers that change places the tangent alone is
// computed; not so where the value is wanted, or a product needs it.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -fno-vectorize -fno-unroll-loops -Xclang -llvm-verify-each -S -emit-llvm %s -o - | FileCheck %s

#include <stddef.h>

extern int verso_dup, verso_const;
double __verso_jvp(void *, ...);
struct Pair {
  double value, tangent;
};
void *malloc(size_t);
void free(void *);
double floor(double);

static inline double smooth(const double *x, int n, double power) {
  double *now = malloc(n * sizeof *now), *then = malloc(n * sizeof *then);
  for (int i = 0; i < n; ++i)
    now[i] = then[i] = x[i];
  for (int k = 0; k < 10; ++k) {
    for (int i = 1; i < n; ++i)
      then[i] = 0.5 * (now[i] + now[i - 1]);
    double *t = now;
    now = then;
    then = t;
  }
  double r = power == 1 ? now[n - 1] : now[n - 1] * now[0];
  free(now);
  free(then);
  return r;
}

static double linear(const double *x, int n) { return smooth(x, n, 1); }
double tangent_of_linear(double *x, double *v, int n) {
  return __verso_jvp(linear, verso_dup, x, v, n);
}

static double product(const double *x, int n) { return smooth(x, n, 2); }
double tangent_of_product(double *x, double *v, int n) {
  return __verso_jvp(product, verso_dup, x, v, n);
}

// A variable array that nothing needs keeps its size as long as it stands there.
static double floor_of_sum(const double *x, int n, const double *y) {
  double t[n * n + 7], s = 0;
  for (int i = 0; i < n; ++i)
    t[i] = y[i] + 1;
  for (int i = 1; i < n; ++i)
    t[i] += t[i - 1] * t[n - i];
  for (int i = 0; i < n; ++i)
    s += t[i];
  return x[0] + floor(s);
}
double tangent_of_sum(double *x, double *v, int n, double *y) {
  return __verso_jvp(floor_of_sum, verso_dup, x, v, n, verso_const, y);
}

// One product by a half is left.
// CHECK-LABEL: define {{.*}}@linear.tangent(
// CHECK-COUNT-1: fmul double
// CHECK-NOT: fmul double
// CHECK: ret {{.*}}double
// CHECK-LABEL: define {{.*}}@product.tangent(
// CHECK-COUNT-2: fmul double {{.*}}5.000000e-01
// CHECK: store double
// CHECK: store double
// CHECK-LABEL: define {{.*}}@floor_of_sum.tangent(
// CHECK-NOT: fmul
// CHECK: ret {{.*}}double
