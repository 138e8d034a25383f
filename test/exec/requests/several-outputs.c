//===- several-outputs.c - vjp of a function with output arrays -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Seeds are the shadows of the outputs; they are taken up, so that they read
// zero afterwards, and the adjoints of the inputs are added. Compared with the
// transposed Jacobian, row by row and in one go.
//
// LEVELS: O0 O0g O1 O2g O3 Os
//
//===----------------------------------------------------------------------===//

#include "../check.h"

static void polar(const double *in, double *radius, double *angle, int n) {
  for (int i = 0; i < n; ++i) {
    radius[i] = sqrt(in[2 * i] * in[2 * i] + in[2 * i + 1] * in[2 * i + 1]);
    angle[i] = atan2(in[2 * i + 1], in[2 * i]);
  }
}

int main(void) {
  double in[] = {3, 4, 1, -1}, r[2], a[2];
  double din[4] = {0}, dr[] = {1, 10}, da[] = {100, 1000};
  __verso_vjp_void(polar, verso_dup, in, din, verso_dup, r, dr, verso_dup, a,
                   da, 2);
  CHECK_EQUAL(r[0], 5);
  CHECK_CLOSE(din[0], 3.0 / 5 - 100 * 4.0 / 25, 1e-14);
  CHECK_CLOSE(din[1], 4.0 / 5 + 100 * 3.0 / 25, 1e-14);
  CHECK_CLOSE(din[2], 10 / sqrt(2.0) + 1000 * 1 / 2.0, 1e-14);
  CHECK_CLOSE(din[3], -10 / sqrt(2.0) + 1000 * 1 / 2.0, 1e-14);
  CHECK(dr[0] == 0 && dr[1] == 0 && da[0] == 0 && da[1] == 0);
  return check_status();
}
