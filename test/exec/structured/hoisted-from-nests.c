//===- hoisted-from-nests.c - loads that leave a nest ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// z[n] is read before the nest, since no iteration writes there, when nests
// whose pointers can be told apart have been found: the compiler crashed.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

enum { N = 4 };

CHECK_NOINLINE static double powers(double *x, double *z, int n) {
  double s = 0;
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i) {
      z[i] = z[i] * x[i] * z[n];
      s += z[i];
    }
  return s;
}

int main(void) {
  double x[N] = {0.9, -1.1, 0.7, 1.3}, dx[N] = {0};
  double z0[N + 1] = {0.5, 1.5, -0.8, 1.2, 0.95}, z[N + 1], dz[N + 1] = {0};
  memcpy(z, z0, sizeof z);
  __verso_grad((void *)powers, verso_dup, x, dx, verso_dup, z, dz, verso_const,
               N);
  double last = 0;
  for (int i = 0; i < N; ++i) {
    double of_x = 0, of_z = 0;
    for (int k = 1; k <= N; ++k) {
      of_z += pow(x[i] * z0[N], k);
      of_x += z0[i] * k * pow(x[i] * z0[N], k - 1) * z0[N];
      last += z0[i] * k * pow(x[i] * z0[N], k - 1) * x[i];
    }
    CHECK_CLOSE(z[i], z0[i] * pow(x[i] * z0[N], N), 1e-13);
    CHECK_CLOSE(dx[i], of_x, 1e-13);
    CHECK_CLOSE(dz[i], of_z, 1e-13);
  }
  CHECK_CLOSE(dz[N], last, 1e-13);
  return check_status();
}
