//===- heap-blocks.c - siblings of blocks of the heap ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block that only its function accesses has a block of tangents, which is
// released with it; then the request has no windows, pages or context. Not so
// where another function learns the address, where what is released may be
// another block, or where an address is made of a distance of two blocks.
//
//===----------------------------------------------------------------------===//

// RUN: %clang_verso -O2 -fno-vectorize -fno-unroll-loops -S -emit-llvm %s -o - | FileCheck %s

#include <stddef.h>
#include <stdint.h>

extern int verso_dup, verso_const;
double __verso_jvp(void *, ...);
void *malloc(size_t);
void free(void *);
void visit(double *) __attribute__((annotate("verso_inactive")));

static double swapped(const double *x, int n) {
  double *now = malloc(n * sizeof *now), *then = malloc(n * sizeof *then);
  for (int i = 0; i < n; ++i)
    now[i] = then[i] = x[i];
  for (int k = 0; k < 10; ++k) {
    for (int i = 1; i < n; ++i)
      then[i] = now[i] * now[i - 1];
    double *t = now;
    now = then;
    then = t;
  }
  double r = now[n - 1];
  free(now);
  free(then);
  return r;
}
double tangent_of_swapped(double *x, double *v, int n) {
  return __verso_jvp(swapped, verso_dup, x, v, n);
}

static double learnt(const double *x) {
  double *t = malloc(2 * sizeof *t);
  t[0] = x[0] * x[0];
  visit(t);
  double r = t[0];
  free(t);
  return r;
}
double tangent_of_learnt(double *x, double *v) {
  return __verso_jvp(learnt, verso_dup, x, v);
}

double *kept;
static double mixed(const double *x) {
  double *t = malloc(2 * sizeof *t);
  t[0] = x[0] * x[0];
  double r = t[0] * x[1], *other = kept;
  free(x[1] > 0 ? t : other);
  return r;
}
double tangent_of_mixed(double *x, double *v) {
  return __verso_jvp(mixed, verso_dup, x, v);
}

static double apart(const double *x, volatile intptr_t *distance) {
  double *a = malloc(2 * sizeof *a), *b = malloc(2 * sizeof *b);
  *distance = (intptr_t)b - (intptr_t)a;
  b[0] = x[0] * x[0];
  double r = *(double *)((char *)a + *distance);
  free(a);
  free(b);
  return r;
}
double tangent_of_apart(double *x, double *v, intptr_t *distance) {
  return __verso_jvp(apart, verso_dup, x, v, verso_const, distance);
}

// CHECK-NOT: call {{.*}}@__verso_begin_tangents
// CHECK-NOT: call {{.*}}@__verso_new_tangents
// CHECK-LABEL: define {{.*}}@swapped.tangent(
// CHECK: %[[A:.+]] = {{.*}}call {{.*}}ptr @malloc(
// CHECK: %[[DA:.+]] = {{.*}}call {{.*}}ptr @__verso_new_tangents(
// CHECK: %[[B:.+]] = {{.*}}call {{.*}}ptr @malloc(
// CHECK: %[[DB:.+]] = {{.*}}call {{.*}}ptr @__verso_new_tangents(
// CHECK-NOT: call {{.*}}@__verso_touch_tangents
// CHECK: call void @free(
// CHECK: call void @__verso_delete_tangents(
// CHECK: call void @free(
// CHECK: call void @__verso_delete_tangents(
// CHECK: ret double
// CHECK-NOT: call {{.*}}@__verso_new_tangents
// CHECK-NOT: call {{.*}}@__verso_delete_tangents
// CHECK-LABEL: define {{.*}}@apart.tangent(
// CHECK-NOT: call {{.*}}@__verso_new_tangents
// CHECK-NOT: call {{.*}}@__verso_delete_tangents
