//===- guessed-targets.c - pointers to functions from the caller ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer that the caller gives, itself or in a structure, is compared with
// functions of this file when the request begins. What leads elsewhere (to a
// function of the library, here) has the same derivatives, by tape; so has what
// the function changes before it calls.
//
//===----------------------------------------------------------------------===//

#include "check.h"

typedef double function(double);
static double square(double x) { return x * x; }
static double inverse(double x) { return 1 / x; }

CHECK_NOINLINE static double apply(function *f, double x) {
  return x * f(x * x);
}
CHECK_NOINLINE static double slope(function *f, double x) {
  return __verso_grad(apply, verso_const, f, x);
}

struct task {
  double scale;
  struct {
    long id;
    function *call;
  } *inner;
  function *last;
};
CHECK_NOINLINE static double perform(const struct task *t, const double *x,
                                     int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += t->scale * t->inner->call(x[i]);
  return t->last(sum);
}

/// The pointer is not what it was when the request began.
CHECK_NOINLINE static double change(struct task *t, double x) {
  double y = t->last(x);
  t->last = y > 1 ? inverse : square;
  y = t->last(y);
  t->last = square;
  return y;
}
/// Nobody may look at the pointer where there is none.
CHECK_NOINLINE static double maybe(const struct task *t, double x) {
  return t ? t->last(x) : 2 * x;
}

int main(void) {
  CHECK_CLOSE(slope(square, 1.5), 5 * pow(1.5, 4), 1e-14);
  CHECK_CLOSE(slope(inverse, 1.5), -1 / (1.5 * 1.5), 1e-14);
  CHECK_CLOSE(slope(sin, 1.5), sin(2.25) + 2 * 2.25 * cos(2.25), 1e-14);

  struct task t = {0.5, malloc(2 * sizeof(void *)), square};
  function *calls[] = {square, inverse, cos};
  double x[3] = {0.7, 1.1, 1.6};
  for (int k = 0; k < 3; ++k)
    for (int last = 0; last < 3; ++last) {
      double g[3] = {0, 0, 0};
      t.inner->call = calls[k];
      t.last = calls[last];
      __verso_grad(perform, verso_const, &t, verso_dup, x, g, 3);
      for (int i = 0; i < 3; ++i) {
        double h = 1e-6, save = x[i];
        x[i] = save + h;
        double above = perform(&t, x, 3);
        x[i] = save - h;
        double below = perform(&t, x, 3);
        x[i] = save;
        CHECK_CLOSE(g[i], (above - below) / (2 * h), 1e-7);
      }
    }
  t.last = square;
  CHECK_CLOSE(__verso_grad(change, verso_const, &t, 1.5), -2 / pow(1.5, 3),
              1e-14);
  CHECK_CLOSE(__verso_grad(change, verso_const, &t, 0.5), 4 * pow(0.5, 3),
              1e-14);
  CHECK_EQUAL(__verso_grad(maybe, verso_const, (void *)NULL, 0.5), 2);
  CHECK_EQUAL(__verso_grad(maybe, verso_const, &t, 0.5), 1);
  free(t.inner);
  return check_status();
}
