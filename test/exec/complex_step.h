//===- complex_step.h - derivatives by the complex step ------ -*- C++ -*--===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For primals that are templates over their scalar type: the derivative is
// exact to rounding, since no difference is taken. Included after check.h.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TEST_EXEC_COMPLEX_STEP_H
#define VERSO_TEST_EXEC_COMPLEX_STEP_H

#include <complex>
#include <vector>

/// The gradient of f, called with a vector of complex numbers.
template <class Function>
std::vector<double> complex_step(Function f, const std::vector<double> &x) {
  const double step = 1e-100;
  std::vector<std::complex<double>> z(x.begin(), x.end());
  std::vector<double> gradient;
  for (std::size_t i = 0; i < x.size(); ++i) {
    z[i] = {x[i], step};
    gradient.push_back(std::imag(f(z)) / step);
    z[i] = x[i];
  }
  return gradient;
}

#endif // VERSO_TEST_EXEC_COMPLEX_STEP_H
