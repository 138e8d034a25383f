//===- callbacks.c - a callback with a context pointer --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quadrature that calls a user's function through a pointer, with a `void *`
// that leads to active parameters.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

struct parameters {
  double rate, amplitude;
};

CHECK_NOINLINE static double integrate(double (*f)(double, void *),
                                       void *context, double from, double to,
                                       int steps) {
  double sum = 0, width = (to - from) / steps;
  for (int i = 0; i < steps; ++i)
    sum += f(from + (i + 0.5) * width, context) * width;
  return sum;
}
static double decay(double t, void *context) {
  const struct parameters *p = context;
  return p->amplitude * exp(-p->rate * t);
}
static double dose(struct parameters *p, double until) {
  return integrate(decay, p, 0, until, 50);
}
static double dose_at(double *x) {
  struct parameters p = {x[0], x[1]};
  return dose(&p, x[2]);
}

int main(void) {
  struct parameters p = {0.5, 3}, dp = {0, 0};
  double x[] = {0.5, 3, 2}, gradient[3];
  gradient[2] = __verso_grad(dose, verso_dup, &p, &dp, 2.0);
  gradient[0] = dp.rate;
  gradient[1] = dp.amplitude;
  CHECK_GRADIENT(dose_at, 3, x, gradient, 1e-9);
  return check_status();
}
