//===- valarray.cpp - std::valarray and std::span -------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expression templates over arrays that are allocated inside, slices, and views
// of an argument.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <span>
#include <valarray>

CHECK_NOINLINE static double norm(std::span<const double> x) {
  double sum = 0;
  for (double v : x)
    sum += v * v;
  return std::sqrt(sum);
}
CHECK_NOINLINE static double run(const double *x, std::size_t n) {
  std::valarray<double> v(x, n);
  std::valarray<double> w = v * v + 2.0 * std::sin(v) - v / 3.0;
  w[std::slice(0, n / 2, 2)] *=
      std::valarray<double>(v[std::slice(1, n / 2, 2)]);
  std::span<const double> view(x, n);
  return w.sum() + (v * w).max() + norm(view.subspan(1, 3));
}
static double run_6(double *x) { return run(x, 6); }

int main() {
  double x[] = {1, -2, 3, 0.5, 1.5, -1}, dx[6] = {};
  __verso_grad_void((void *)run, verso_dup, x, dx, std::size_t{6});
  CHECK_GRADIENT(run_6, 6, x, dx, 1e-8);
  return check_status();
}
