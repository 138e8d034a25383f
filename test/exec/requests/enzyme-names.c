//===- enzyme-names.c - programs written for Enzyme, in C -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same requests under Enzyme's names. Such programs define the markers
// themselves, so the runtime's definitions must give way.
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../check.h"

int enzyme_const, enzyme_dup, enzyme_out, enzyme_dupnoneed;
double __enzyme_autodiff(void *, ...);
void __enzyme_autodiff_void(void *, ...);
struct gradient {
  double x, y;
};
struct gradient __enzyme_autodiff_pair(void *, ...);

static double square(double x) { return x * x; }
static double mixed(double x, double y, const double *p) {
  return x * y * p[0] * p[0];
}
static void scale(const double *in, double *out, double factor, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = in[i] * factor;
}

int main(void) {
  CHECK_EQUAL(__enzyme_autodiff(square, 4.0), 8);
  CHECK_EQUAL(__enzyme_autodiff(square, enzyme_out, 5.0), 10);
  double p[] = {3}, dp[] = {0};
  struct gradient g = __enzyme_autodiff_pair(mixed, enzyme_out, 2.0, enzyme_out,
                                             5.0, enzyme_dup, p, dp);
  CHECK_EQUAL(g.x, 45);
  CHECK_EQUAL(g.y, 18);
  CHECK_EQUAL(dp[0], 60);
  double in[] = {1, 2}, din[] = {0, 0}, out[2], dout[] = {1, 10};
  __enzyme_autodiff_void(scale, enzyme_dup, in, din, enzyme_dupnoneed, out,
                         dout, enzyme_const, 3.0, enzyme_const, 2);
  CHECK_EQUAL(din[0], 3);
  CHECK_EQUAL(din[1], 30);
  return check_status();
}
