//===- local-or-callers.c - pointers to local memory or the caller's -----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structure of pointers is a local one, which has a shadow, or the caller's,
// which does not vary and is its own shadow. What is stored there is what the
// program stores, and a shadow does not outlive the pointer it belongs to.
//
//===----------------------------------------------------------------------===//

#include "check.h"

typedef struct {
  double *d, *e;
  double k;
} view;

enum { N = 8 };

static double constants[N] = {1, 2, 3, 4, 5, 6, 7, 8};

CHECK_NOINLINE static double numbers(double *x, view *given, int n) {
  view local = {x, x, 1};
  double s = 0;
  for (int i = 0; i < 4; ++i) {
    view *v = (n + i) % 2 ? &local : given, next = {x + i, x + 1, 2};
    *v = next;
    s += v->d[0] * v->e[1] * v->k;
  }
  return s + local.d[1];
}

CHECK_NOINLINE static double thenConstants(double *x, view *given, int n) {
  view local = {x, x, 1};
  double s = 0;
  for (int i = 0; i < 4; ++i) {
    view *v = (n + i) % 2 ? &local : given;
    s += local.d[i] * x[0];
    v->d = constants;
  }
  return s;
}

typedef double function(double *, view *, int);

static void compare(function *volatile f, const double *gradient,
                    const view *after) {
  double x[N], given[N];
  for (int i = 0; i < N; ++i)
    given[i] = 1 + i;
  for (int j = 0; j < N; ++j) {
    double value[2];
    for (int k = 0; k < 2; ++k) {
      for (int i = 0; i < N; ++i)
        x[i] = 0.7 + 0.13 * i;
      // The function is quadratic.
      x[j] += k ? -0.125 : 0.125;
      view v = {given, given, 3};
      value[k] = f(x, &v, 5);
      CHECK(after->d[0] == (v.d == constants ? 1 : 0.7 + 0.13 * (v.d - x)) ||
            v.d - x == j);
    }
    CHECK_CLOSE(gradient[j], (value[0] - value[1]) / 0.25, 1e-12);
  }
}

#define COMPARE(f)                                                             \
  do {                                                                         \
    double x[N], dx[N] = {0}, given[N];                                        \
    for (int i = 0; i < N; ++i) {                                              \
      x[i] = 0.7 + 0.13 * i;                                                   \
      given[i] = 1 + i;                                                        \
    }                                                                          \
    view v = {given, given, 3};                                                \
    __verso_grad_void((void *)f, verso_dup, x, dx, verso_const, &v,            \
                      verso_const, 5);                                         \
    compare(f, dx, &v);                                                        \
  } while (0)

int main(void) {
  COMPARE(numbers);
  COMPARE(thenConstants);
  return check_status();
}
