//===- matrix-types.c - clang's matrix types -----------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products, transpositions, loads and stores by columns with a stride: in
// reverse mode, in forward mode, and forward over reverse.
//
//===----------------------------------------------------------------------===//

// FLAGS: -fenable-matrix

#include "../check.h"

double __verso_jvp(void *, ...);
void __verso_grad_void(void *, ...);

typedef double m23 __attribute__((matrix_type(2, 3)));
typedef double m32 __attribute__((matrix_type(3, 2)));
typedef double m22 __attribute__((matrix_type(2, 2)));

// The sum of (A A^T)^2, A in columns that are 4 apart.
CHECK_NOINLINE static double energy(const double *x, double *out) {
  m23 a = __builtin_matrix_column_major_load((double *)x, 2, 3, 4);
  m32 t = __builtin_matrix_transpose(a);
  m22 p = a * t;
  __builtin_matrix_column_major_store(p, out, 2);
  double sum = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      sum += p[i][j] * p[i][j];
  return sum;
}
static double plain(const double *x) {
  double sum = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      double p = 0;
      for (int k = 0; k < 3; ++k)
        p += x[4 * k + i] * x[4 * k + j];
      sum += p * p;
    }
  return sum;
}
static void gradient(const double *x, double *dx) {
  double out[4], dout[4] = {0};
  __verso_grad(energy, verso_dup, x, dx, verso_dup, out, dout);
}
static void plain_gradient(const double *x, double *dx) {
  __verso_grad(plain, verso_dup, x, dx);
}

int main(void) {
  double x[12], v[12], dx[12] = {0}, expected[12] = {0}, out[4], dout[4] = {0};
  for (int i = 0; i < 12; ++i)
    x[i] = 0.3 * i - 1.5, v[i] = 0.1 * (i % 5) + 0.2;
  gradient(x, dx);
  plain_gradient(x, expected);
  double along = 0;
  for (int i = 0; i < 12; ++i) {
    CHECK_CLOSE(dx[i], expected[i], 1e-13);
    along += expected[i] * v[i];
  }
  CHECK_CLOSE(__verso_jvp(energy, verso_dup, x, v, verso_dup, out, dout), along,
              1e-13);
  double g[12] = {0}, hv[12] = {0}, h[12] = {0}, hp[12] = {0};
  __verso_jvp(gradient, verso_dup, x, v, verso_dup, g, hv);
  __verso_jvp(plain_gradient, verso_dup, x, v, verso_dup, h, hp);
  for (int i = 0; i < 12; ++i)
    CHECK_CLOSE(hv[i], hp[i], 1e-12);
  // The seeds of what was stored.
  double one[4] = {1, 0, 0, 0}, seeded[12] = {0};
  __verso_grad_void(energy, verso_dup, x, seeded, verso_dup, out, one);
  for (int k = 0; k < 3; ++k)
    CHECK_CLOSE(seeded[4 * k], expected[4 * k] + 2 * x[4 * k], 1e-13);
  return check_status();
}
