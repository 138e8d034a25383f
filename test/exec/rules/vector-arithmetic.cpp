//===- vector-arithmetic.cpp - vectors through and through ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic, comparison and selection, conversion, splats and reductions on
// vectors, as the vector extension and as the loop vectoriser write them.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

typedef double double4 __attribute__((vector_size(32)));
typedef float float4 __attribute__((vector_size(16)));
typedef long long long4 __attribute__((vector_size(32)));

CHECK_NOINLINE static double explicit_vectors(const double *in) {
  double4 a = {in[0], in[1], in[2], in[3]}, b = {in[4], in[5], in[6], in[7]};
  double4 c = a * b - a / (b * b + 1.0);
  long4 mask = a > b;
  double4 d = mask ? c : -b;
  float4 narrow = __builtin_convertvector(d, float4);
  double4 wide = __builtin_convertvector(narrow * 2.0f, double4);
  double4 mixed = __builtin_shufflevector(c, d, 0, 5, 2, 7);
  mixed[2] = in[8];
  wide += mixed * in[8];
  return wide[0] + wide[1] * wide[2] - wide[3];
}
CHECK_NOINLINE static double loops(const double *__restrict x,
                                   double *__restrict y, int n, double a) {
  for (int i = 0; i < n; ++i)
    y[i] = a * x[i] + y[i] * y[i];
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] > 0.5 ? y[i] * x[i] : 0;
  return sum;
}
/// The same in scalars and without the detour through floats.
static double explicit_of(double *x) {
  double c[4], d[4], wide[4];
  for (int i = 0; i < 4; ++i) {
    c[i] = x[i] * x[i + 4] - x[i] / (x[i + 4] * x[i + 4] + 1);
    d[i] = x[i] > x[i + 4] ? c[i] : -x[i + 4];
  }
  const double mixed[] = {c[0], d[1], x[8], d[3]};
  for (int i = 0; i < 4; ++i)
    wide[i] = 2 * d[i] + mixed[i] * x[8];
  return wide[0] + wide[1] * wide[2] - wide[3];
}
static double loops_of(double *v) { return loops(v, v + 33, 33, v[66]); }

int main(void) {
  double x[] = {1, 2.5, -0.5, 4, 2, 1.5, 0.25, -1, 0.75}, dx[9] = {0};
  __verso_grad_void((void *)explicit_vectors, verso_dup, x, dx);
  CHECK_GRADIENT(explicit_of, 9, x, dx, 1e-6);
  double v[67], w[67], dv[67] = {0};
  for (int i = 0; i < 67; ++i)
    w[i] = v[i] = (i * 5 % 11) * 0.125 + 0.0625;
  dv[66] = __verso_grad((void *)loops, verso_dup, w, dv, verso_dup, w + 33,
                        dv + 33, 33, v[66]);
  CHECK_GRADIENT(loops_of, 67, v, dv, 1e-8);
  return check_status();
}
