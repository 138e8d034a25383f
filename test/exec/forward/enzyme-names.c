//===- enzyme-names.c - Enzyme's names for forward mode -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// __enzyme_fwddiff with enzyme_dup, enzyme_const, enzyme_dupnoneed,
// enzyme_width and enzyme_primal_return: the value first, then the tangents.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"

int enzyme_const, enzyme_dup, enzyme_dupnoneed, enzyme_width,
    enzyme_primal_return;
double __enzyme_fwddiff(void *, ...);
void __enzyme_fwddiff_void(void *, ...);
struct pair {
  double a, b;
};
struct three {
  double v[3];
};
struct pair __enzyme_fwddiff_pair(void *, ...);
struct three __enzyme_fwddiff_three(void *, ...);

static double square(double x) { return x * x; }
static void scale(const double *in, double *out, double by, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = in[i] * by;
}
static double dot(const double *a, const double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i] * b[i];
  return s;
}

int main(void) {
  CHECK_EQUAL(__enzyme_fwddiff(square, 3.0, 1.0), 6);
  CHECK_EQUAL(__enzyme_fwddiff(square, enzyme_dup, 3.0, 2.0), 12);
  struct pair p =
      __enzyme_fwddiff_pair(square, enzyme_width, 2, enzyme_dup, 3.0, 1.0, 0.5);
  CHECK_EQUAL(p.a, 6);
  CHECK_EQUAL(p.b, 3);
  p = __enzyme_fwddiff_pair(square, enzyme_primal_return, enzyme_dup, 3.0, 1.0);
  CHECK_EQUAL(p.a, 9);
  CHECK_EQUAL(p.b, 6);
  double in[] = {1, 2}, din[] = {1, 10}, out[2], dout[2] = {5, 5};
  __enzyme_fwddiff_void(scale, enzyme_dup, in, din, enzyme_dupnoneed, out, dout,
                        enzyme_const, 3.0, enzyme_const, 2);
  CHECK_EQUAL(dout[0], 3);
  CHECK_EQUAL(dout[1], 30);
  double b[] = {3, 4}, d2[] = {0, 1};
  struct three t =
      __enzyme_fwddiff_three(dot, enzyme_primal_return, enzyme_width, 2,
                             enzyme_dup, in, din, d2, enzyme_const, b, 2);
  CHECK_EQUAL(t.v[0], 11);
  CHECK_EQUAL(t.v[1], 43);
  CHECK_EQUAL(t.v[2], 4);
  return check_status();
}
