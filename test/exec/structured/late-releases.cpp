//===- late-releases.cpp - what is released at the end, if it was made ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of a function that returns early, or that asks for none, is released
// with null at the end of the verso. No attribute of the program's call, which
// is made only after an allocation, says that it never is null.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <vector>

static double early(const double *x, int n) {
  if (n < 3)
    return 0;
  std::vector<double> y(n);
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i];
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += y[i];
  return sum;
}

static double empty(const double *x, int n) {
  std::vector<double> y(n);
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i];
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += y[i];
  return sum;
}

int main() {
  for (int n = 0; n < 9; ++n) {
    std::vector<double> x(n), d(n), e(n);
    for (int i = 0; i < n; ++i)
      x[i] = 0.5 + i;
    __verso_grad_void((void *)early, verso_dup, x.data(), d.data(), verso_const,
                      n);
    __verso_grad_void((void *)empty, verso_dup, x.data(), e.data(), verso_const,
                      n);
    for (int i = 0; i < n; ++i) {
      CHECK_CLOSE(d[i], n < 3 ? 0 : 2 * x[i], 1e-14);
      CHECK_CLOSE(e[i], 2 * x[i], 1e-14);
    }
  }
  return check_status();
}
