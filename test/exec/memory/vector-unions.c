//===- vector-unions.c - four floats as a vector, by value ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A union of an array and a vector of floats is passed and returned as two
// doubles. When such a call is inlined, pairs of floats are stored as vectors.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

typedef float float4 __attribute__((vector_size(16)));
typedef union {
  float v[4];
  float4 m;
} vec4;

#define INLINE static inline __attribute__((always_inline))

INLINE vec4 twice(vec4 a) {
  vec4 r;
  r.m = a.m + a.m;
  return r;
}
CHECK_NOINLINE static double weighted(const double *x) {
  vec4 a = {.v = {(float)x[0], (float)x[1], 3, (float)x[2]}};
  a = twice(a);
  return a.v[0] + 10 * a.v[1] + 100 * a.v[3];
}

int main(void) {
  double x[] = {0.5, 0.25, 2}, dx[3] = {0, 0, 0};
  __verso_grad_void(weighted, verso_dup, x, dx);
  CHECK_EQUAL(dx[0], 2);
  CHECK_EQUAL(dx[1], 20);
  CHECK_EQUAL(dx[2], 200);
  return check_status();
}
