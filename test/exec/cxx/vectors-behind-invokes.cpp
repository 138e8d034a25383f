//===- vectors-behind-invokes.cpp - memory that an invoke gave ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM clears a vector of complex numbers by stores of vectors, right where the
// allocation returned, which may throw while another one has to be destroyed.
// LLVM's scalarizer breaks blocks there.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <complex>
#include <vector>

CHECK_NOINLINE static double power(const double *x, int n) {
  std::vector<double> u(x, x + n);
  std::vector<std::complex<float>> z(8);
  z[0] = std::complex<float>((float)u[0], (float)u[1]);
  for (int i = 1; i < 8; ++i)
    z[i] = z[i - 1] * z[0];
  return z[7].real();
}

int main() {
  double x[] = {0.5, 0.25}, dx[] = {0, 0};
  __verso_grad_void((void *)power, verso_dup, x, dx, verso_const, 2);
  std::complex<double> d = 8.0 * std::pow(std::complex<double>(0.5, 0.25), 7);
  CHECK_CLOSE(dx[0], d.real(), 1e-5);
  CHECK_CLOSE(dx[1], -d.imag(), 1e-5);
  return check_status();
}
