//===- at-zeros-types.cpp - zeros of other types, in many directions -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As at-zeros.c: of float and long double, and in several directions at once,
// whose tangents are vectors.
//
// REQUIRES: unsanitized
// HEAVY: tapes of tapes
//
//===----------------------------------------------------------------------===//

#include "../forward/forward.h"
#include "verso/verso.hpp"

extern "C" long double __verso_grad_long(void *, ...);
extern "C" long double __verso_jvp_long(void *, ...);

template <class Real> static Real residual(Real x) {
  Real r = std::sqrt(x) - 1 + std::log(x) / x;
  return r * r;
}
static float slope_float(float x) {
  return __verso_grad_float((void *)residual<float>, x);
}
static float along_float(float x) {
  return __verso_jvp_float((void *)residual<float>, verso_dup, x, 1.0f);
}
static long double slope_long(long double x) {
  return __verso_grad_long((void *)residual<long double>, x);
}

using Vector = std::vector<double>;
/// Residuals of which all but one are zero at ones.
static double fit(const Vector &x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double r = std::sqrt(x[i]) / x[(i + 1) % x.size()] - (i == 1 ? 2 : 1);
    sum += r * r;
  }
  return sum;
}
int main() {
  // r' = 1/2 + 1, so 2 r'^2 = 4.5 at 1.
  CHECK_CLOSE(__verso_jvp_float((void *)slope_float, verso_dup, 1.0f, 1.0f), 4.5,
              1e-5);
  CHECK_CLOSE(__verso_grad_float((void *)slope_float, 1.0f), 4.5, 1e-5);
  CHECK_CLOSE(__verso_grad_float((void *)along_float, 1.0f), 4.5, 1e-5);
  CHECK_CLOSE(__verso_jvp_float((void *)along_float, verso_dup, 1.0f, 1.0f), 4.5,
              1e-5);
  CHECK_CLOSE(
      __verso_jvp_long((void *)slope_long, verso_dup, 1.0L, 1.0L), 4.5, 1e-15);
  CHECK_CLOSE(__verso_grad_long((void *)slope_long, 1.0L), 4.5, 1e-15);

  constexpr int N = 5;
  Vector x(N, 1.0);
  auto h = verso::hessian(verso::fn<fit>)(x);
  auto rows = verso::jacrev(verso::grad(verso::fn<fit>))(x);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      CHECK_CLOSE(h(i, j), rows(i, j), 1e-12);
      // 2 (a^2 + b^2) where r = 0: a = 1/2 by x[i], b = -1 by x[i + 1].
      if (i == j && i != 1 && i != 2)
        CHECK_CLOSE(h(i, j), 2.5, 1e-12);
    }
  return check_status();
}
