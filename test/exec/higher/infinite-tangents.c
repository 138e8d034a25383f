//===- infinite-tangents.c - beside adjoints that are zero -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where nothing comes to y, the gradient of y = sqrt(z) * x adds zero times
// sqrt(z) to the adjoint of x, and at z = 0 the tangent of that factor is
// infinite: NaN in forward mode over reversed control flow. In a loop, through
// memory, from a recursion, and where the factor's tangent is infinite before
// the gradient begins. Found by test/fuzz/nests.py (172:1, 400004:3).
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);
void __verso_jvp_void(void *, ...);

enum { N = 6 };

static double direct(double *x, double *y) {
  double r = sqrt(x[0]);
  for (int i = 1; i < N; ++i)
    y[i] = r * x[i];
  return x[0] * x[1] * x[1];
}
static double through_memory(double *x, double *y) {
  double roots[N];
  for (int i = 0; i < N; ++i)
    roots[i] = sqrt(x[i]);
  for (int i = 1; i < N; ++i)
    y[i] = roots[i - 1] * x[i];
  return x[0] * x[1] * x[1];
}
static double power(const double *x, int n) {
  return n == 0 ? x[1] : sqrt(x[0]) * power(x, n - 1);
}
static double recursive(double *x, double *y) {
  y[2] = power(x, 3);
  return x[0] * x[1] * x[1];
}
static double times(double *x, double *y) {
  for (int i = 1; i < N; ++i)
    y[i] = x[0] * x[i];
  return x[2] * x[2];
}

#define GRADIENT(F)                                                            \
  static void F##_gradient(double *x, double *dx, double *y, double *dy) {     \
    __verso_grad_void((void *)F, verso_dup, x, dx, verso_dup, y, dy);          \
  }                                                                            \
  /* Along x[0], from 0, where x' is t for it. */                              \
  static double *F##_second(double t) {                                        \
    static double x[N], tx[N], dx[N], y[N], ty[N], dy[N], tdy[N], h[N];        \
    for (int i = 0; i < N; ++i)                                                \
      x[i] = i, tx[i] = dx[i] = h[i] = ty[i] = dy[i] = tdy[i] = 0;             \
    tx[0] = t;                                                                 \
    __verso_jvp_void((void *)F##_gradient, verso_dup, x, tx, verso_dup, dx, h, \
                     verso_dup, y, ty, verso_dup, dy, tdy);                    \
    return h;                                                                  \
  }
GRADIENT(direct)
GRADIENT(through_memory)
GRADIENT(recursive)
GRADIENT(times)

int main(void) {
  // d/dx1 = 2 x0 x1, along x0: 2 x1.
  double *all[] = {direct_second(1), through_memory_second(1),
                   recursive_second(1)};
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < N; ++i)
      CHECK_CLOSE(all[k][i], i == 1 ? 2 : 0, 1e-12);
  double *h = times_second(INFINITY);
  for (int i = 0; i < N; ++i)
    CHECK_CLOSE(h[i], 0, 1e-12);
  return check_status();
}
