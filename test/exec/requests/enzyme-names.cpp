//===- enzyme-names.cpp - programs written for Enzyme, in C++ -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enzyme's usual C++ declarations: a variadic function template with the return
// type as its first parameter, markers declared and defined nowhere in the
// file.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"

extern int enzyme_const, enzyme_dup, enzyme_out;
template <typename Return, typename... Arguments>
Return __enzyme_autodiff(void *, Arguments...);
double __enzyme_autodiff_plain(void *, ...);

static double product(const double *x, int n, double scale) {
  double p = scale;
  for (int i = 0; i < n; ++i)
    p *= x[i];
  return p;
}
static double cube(double x) { return x * x * x; }

int main() {
  double x[] = {2, 3, 5}, dx[] = {0, 0, 0};
  double ds = __enzyme_autodiff<double>((void *)product, enzyme_dup, x, dx,
                                        enzyme_const, 3, enzyme_out, 7.0);
  CHECK_EQUAL(ds, 30);
  CHECK_EQUAL(dx[0], 105);
  CHECK_EQUAL(dx[1], 70);
  CHECK_EQUAL(dx[2], 42);
  CHECK_EQUAL(__enzyme_autodiff<double>((void *)cube, 2.0), 12);
  CHECK_EQUAL(__enzyme_autodiff_plain((void *)cube, 3.0), 27);
  return check_status();
}
