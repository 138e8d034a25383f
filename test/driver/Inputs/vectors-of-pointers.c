//===- vectors-of-pointers.c - the gradients of vectors-of-pointers.ll ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define CHECK_NO_API
#include "../../exec/check.h"

typedef double vector[8];

void gradient_scalars(double *x, double *dx);
void gradient_loop(double *x, double *dx);
void gradient_stored(double *x, double *dx);
void gradient_passed(double *x, double *dx);
void gradient_lane(double *x, double *dx);
void gradient_whole(double *x, double *dx);
void gradient_single(double *x, double *dx);

static void check(void (*gradient)(double *, double *),
                  const double *expected) {
  double x[8], dx[8] = {0};
  for (int k = 0; k < 8; ++k)
    x[k] = k + 1;
  gradient(x, dx);
  for (int k = 0; k < 8; ++k)
    CHECK_EQUAL(dx[k], expected[k]);
}

int main(void) {
  check(gradient_scalars, (vector){0, 0, 1, 1});
  check(gradient_loop, (vector){11, 1, 1, 1});
  check(gradient_stored, (vector){0, 6, 0, 0, 0, 2});
  check(gradient_passed, (vector){0, 0, 5, 0, 3});
  check(gradient_lane, (vector){0, 0, 0, 0, 10});
  check(gradient_whole, (vector){0, 0, 5, 0, 3});
  check(gradient_single, (vector){0, 0, 0, 0, 0, 0, 14});
  return check_status();
}
