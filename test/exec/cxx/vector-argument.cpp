//===- vector-argument.cpp - a std::vector as the argument ----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vector itself is duplicated: the shadow is a vector of the same size. The
// element pointers are loaded from both.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <vector>

CHECK_NOINLINE static double energy(const std::vector<double> &x) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i)
    sum += (x[i + 1] - x[i]) * (x[i + 1] - x[i]) * x[i];
  return sum;
}
CHECK_NOINLINE static void relax(std::vector<double> &x) {
  for (std::size_t i = 1; i < x.size(); ++i)
    x[i] = 0.5 * (x[i] + x[i - 1]);
}
static double energy_of(double *x) {
  return energy(std::vector<double>(x, x + 5));
}

int main() {
  std::vector<double> x{1, 3, 2, 5, 4}, dx(5);
  __verso_grad_void((void *)energy, verso_dup, &x, &dx);
  CHECK_GRADIENT(energy_of, 5, x.data(), dx.data(), 1e-9);
  std::vector<double> y{8, 4, 2}, dy{0, 0, 1};
  __verso_vjp_void((void *)relax, verso_dup, &y, &dy);
  CHECK_EQUAL(y[2], 4);
  CHECK_EQUAL(dy[0], 0.25);
  CHECK_EQUAL(dy[1], 0.25);
  CHECK_EQUAL(dy[2], 0.5);
  return check_status();
}
