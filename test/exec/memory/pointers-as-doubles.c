//===- pointers-as-doubles.c - pointers that travel as numbers ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer whose bits a function takes or returns as a double leads to its
// shadow all the same: such functions are inlined before they are taped.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);

CHECK_NOINLINE static double box(double *p) {
  double d;
  memcpy(&d, &p, sizeof d);
  return d;
}
CHECK_NOINLINE static double *unbox(double d) {
  double *p;
  memcpy(&p, &d, sizeof p);
  return p;
}
CHECK_NOINLINE static double product(double d, double y) {
  double *p;
  memcpy(&p, &d, sizeof p);
  return p[0] * p[1] * y;
}

static double returned(double *x) {
  double d = box(x + 1), *p;
  memcpy(&p, &d, sizeof p);
  return p[0] * p[0] * x[0];
}
static double taken(double *x) {
  double d;
  memcpy(&d, &x, sizeof d);
  return product(d, x[2]);
}
static double both(double *x) { return product(box(x), x[2]); }
static double local(double *x) {
  double t[2] = {x[0] * x[1], x[2]};
  return product(box(t), x[2]);
}
static double beside(double *x) {
  double v[2];
  v[0] = x[1];
  v[1] = box(x);
  return product(v[1], v[0]);
}
static double twice(double *x) { return unbox(box(x + 1))[1] * x[0] * x[0]; }

static void check(double (*f)(double *), const double *d, double slope) {
  double x[3] = {0.75, -0.5, 1.25}, v[3] = {1, 0.5, -2}, s = 0;
  CHECK_GRADIENT(f, 3, x, d, 1e-7);
  for (int i = 0; i < 3; ++i)
    s += d[i] * v[i];
  CHECK_CLOSE(slope, s, 1e-12);
}

#define RUN(F)                                                                 \
  do {                                                                         \
    double x[3] = {0.75, -0.5, 1.25}, d[3] = {0, 0, 0}, v[3] = {1, 0.5, -2};   \
    __verso_grad(F, verso_dup, x, d);                                          \
    check(F, d, __verso_jvp(F, verso_dup, x, v));                              \
  } while (0)

int main(void) {
  RUN(returned);
  RUN(taken);
  RUN(both);
  RUN(local);
  RUN(beside);
  RUN(twice);
  return check_status();
}
