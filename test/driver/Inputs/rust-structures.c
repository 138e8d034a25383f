//===- rust-structures.c - the caller of rust-structures.ll ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <stdio.h>

struct three {
  double x, y, z;
};
void tangents(struct three *to, const double *in, const double *tangent,
              double a, double da);
void tangents_forwarded(struct three *to, const double *in,
                        const double *tangent, double a, double da);
void cotangents(const double *in, double *din, double a,
                const struct three *seed);
void gradient_of_struct(struct three *to, const struct three *s);
void gradient_of_indexed(double *to, const double *from);
void gradient_of_exchange(const double *x, double *dx);
void gradient_of_choice(const double *x, double *dx);

static int status;
static void check(const char *what, double got, double expected) {
  if (got == expected)
    return;
  printf("%s: %g, not %g\n", what, got, expected);
  status = 1;
}
static void check_three(const char *what, struct three got, double x, double y,
                        double z) {
  check(what, got.x, x);
  check(what, got.y, y);
  check(what, got.z, z);
}

int main(void) {
  const double in[] = {3, 5}, tangent[] = {1, 0.25};
  struct three t = {9, 9, 9};
  tangents(&t, in, tangent, 2, 0.5);
  check_three("tangents", t, 1, 2 * 1.25 + 0.5 * 8, 0.5);
  tangents_forwarded(&t, in, tangent, 2, 0.5);
  check_three("tangents, handed on", t, 1, 2 * 1.25 + 0.5 * 8, 0.5);
  const struct three seed = {1, 10, 100};
  double din[2] = {0, 0};
  cotangents(in, din, 2, &seed);
  check("cotangent of the first", din[0], 1 + 20);
  check("cotangent of the second", din[1], 20);
  const struct three s = {2, 8, 1};
  gradient_of_struct(&t, &s);
  check_three("gradient", t, 8, 2, 1);
  const double x[] = {0.5, 4};
  double dx[2] = {0, 0};
  gradient_of_choice(x, dx);
  check("choice of the first", dx[0], 2 * 0.5);
  check("choice of the second", dx[1], 3);
  const double five[] = {1, 2, 3, 4, 5};
  double slopes[5];
  gradient_of_indexed(slopes, five);
  for (int i = 0; i < 5; ++i)
    check("indexed", slopes[i], 2 * five[i]);
  double dv = 0;
  gradient_of_exchange(x + 1, &dv);
  check("exchange", dv, 3 * 16);
  return status;
}
