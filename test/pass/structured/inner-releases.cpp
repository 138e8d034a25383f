//===- inner-releases.cpp - inner requests release where the program does -===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An outer request does not know of a list of what loops release: it would
// read rows again that are gone. So an inner one keeps none.
//
//===----------------------------------------------------------------------===//

// REQUIRES: llvm22
// RUN: %clangxx_verso -O2 -Rpass=verso -Rpass-missed=verso %s -o %t \
// RUN:   %verso_libs 2>&1 | FileCheck %s
// RUN: %t

#include <cmath>
#include <vector>

extern "C" int verso_dup, verso_const;
void __verso_grad_void(void *, ...);
extern "C" double __verso_jvp(void *, ...);

constexpr int N = 6;

static double inner(const double *x, int n) {
  std::vector<std::vector<double>> m(n, std::vector<double>(n));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      m[i][j] = x[i] * x[j] * x[j];
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += m[i][j] * m[j][i];
  return s;
}

static double outer(const double *x, int n) {
  double dx[N] = {}, s = 0;
  __verso_grad_void((void *)inner, verso_dup, x, dx, verso_const, n);
  for (int i = 0; i < n; i++)
    s += dx[i] * x[n - 1 - i];
  return s;
}

// CHECK-NOT: is not structured
// CHECK: gradient of 'outer' by reversed control flow
// CHECK-NOT: is not structured

int main() {
  double x[N] = {0.5, 0.25, 1, -0.5, 0.75, 1.25}, dx[N] = {}, got = 0;
  double v[N] = {1, -1, 2, 0.5, -0.25, 3}, tangents[N];
  __verso_grad_void((void *)outer, verso_dup, x, dx, verso_const, N);
  for (int i = 0; i < N; i++)
    got += dx[i] * (tangents[i] = v[i]);
  double expected =
      __verso_jvp((void *)outer, verso_dup, x, tangents, verso_const, N);
  return std::fabs(got - expected) > 1e-12 * std::fabs(expected);
}
