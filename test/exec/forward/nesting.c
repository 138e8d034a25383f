//===- nesting.c - forward mode over and under every mode ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Second and third derivatives by forward over forward, forward over reverse,
// reverse over forward, reverse over reverse, with pointers whose inner shadow
// is itself duplicated, in loops, to three levels.
//
// AddressSanitizer's own shadow leaves no room for so many windows.
// REQUIRES: unsanitized
// HEAVY: tapes of tapes
//
//===----------------------------------------------------------------------===//

#include "forward.h"

static double f1(double x) { return x * x * x * x + sin(x); }
static double d_f(double x) { return __verso_jvp(f1, verso_dup, x, 1.0); }
static double g_f(double x) { return __verso_grad(f1, x); }
static double dd_f(double x) { return __verso_jvp(d_f, verso_dup, x, 1.0); }
static double dg_f(double x) { return __verso_jvp(g_f, verso_dup, x, 1.0); }
static double gd_f(double x) { return __verso_grad(d_f, x); }
static double gg_f(double x) { return __verso_grad(g_f, x); }

enum { N = 4 };
CHECK_NOINLINE static double rosenbrock(const double *x) {
  double sum = 0;
  for (int i = 0; i + 1 < N; ++i) {
    double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
    sum += 100 * a * a + b * b;
  }
  return sum;
}
static void hessian(const double *x, double h[N][N]) {
  memset(h, 0, sizeof(double[N][N]));
  for (int i = 0; i + 1 < N; ++i) {
    h[i][i] += 1200 * x[i] * x[i] - 400 * x[i + 1] + 2;
    h[i][i + 1] -= 400 * x[i];
    h[i + 1][i] -= 400 * x[i];
    h[i + 1][i + 1] += 200;
  }
}
CHECK_NOINLINE static void gradient(const double *x, double *g) {
  __verso_grad_void(rosenbrock, verso_dup, x, g);
}
CHECK_NOINLINE static void fresh_gradient(const double *x, double *out) {
  double g[N] = {0};
  __verso_grad_void(rosenbrock, verso_dup, x, g);
  for (int i = 0; i < N; ++i)
    out[i] = g[i];
}
CHECK_NOINLINE static void heap_gradient(const double *x, double *out) {
  double *g = calloc(N, sizeof *g);
  __verso_grad_void(rosenbrock, verso_dup, x, g);
  memcpy(out, g, N * sizeof *g);
  free(g);
}
CHECK_NOINLINE static double directional(const double *x, const double *v) {
  return __verso_jvp(rosenbrock, verso_dup, x, v);
}
CHECK_NOINLINE static double second(const double *x, const double *v,
                                    const double *w) {
  return __verso_jvp(directional, verso_dup, x, w, verso_const, v);
}
// Newton's method whose own derivative is taken: requests inside a loop.
CHECK_NOINLINE static double root(double a) {
  double x = 1;
  while (1) {
    double value = f1(x) - a, slope = __verso_jvp(f1, verso_dup, x, 1.0);
    double next = x - value / slope;
    if (fabs(next - x) < 1e-15)
      return next;
    x = next;
    if (fabs(value) < 1e-13)
      return x;
  }
}
CHECK_NOINLINE static double root_reverse(double a) {
  double x = 1;
  for (int i = 0; i < 8; ++i)
    x -= (f1(x) - a) / __verso_grad(f1, x);
  return x;
}

int main(void) {
  double x = 1.3, second_f = 12 * x * x - sin(x), third = 24 * x - cos(x);
  CHECK_CLOSE(d_f(x), 4 * x * x * x + cos(x), 1e-14);
  CHECK_CLOSE(dd_f(x), second_f, 1e-14);
  CHECK_CLOSE(dg_f(x), second_f, 1e-14);
  CHECK_CLOSE(gd_f(x), second_f, 1e-14);
  CHECK_CLOSE(gg_f(x), second_f, 1e-14);
  CHECK_CLOSE(__verso_jvp(dd_f, verso_dup, x, 1.0), third, 1e-14);
  CHECK_CLOSE(__verso_jvp(dg_f, verso_dup, x, 1.0), third, 1e-14);
  CHECK_CLOSE(__verso_jvp(gd_f, verso_dup, x, 1.0), third, 1e-14);
  CHECK_CLOSE(__verso_jvp(gg_f, verso_dup, x, 1.0), third, 1e-14);
  CHECK_CLOSE(__verso_grad(dd_f, x), third, 1e-14);
  CHECK_CLOSE(__verso_grad(dg_f, x), third, 1e-14);
  CHECK_CLOSE(__verso_grad(gd_f, x), third, 1e-14);
  CHECK_CLOSE(__verso_grad(gg_f, x), third, 1e-14);

  double p[N] = {1.2, -0.7, 0.5, 1.1}, h[N][N];
  hessian(p, h);
  for (int round = 0; round < 3; ++round) {
    double v[N], w[N];
    fill_direction(v, N, 3 + round);
    fill_direction(w, N, 8 + round);
    double g[N] = {0}, hv[N] = {0}, expected[N];
    for (int i = 0; i < N; ++i)
      expected[i] = dot_product(h[i], v, N);
    __verso_jvp_void(gradient, verso_dup, p, v, verso_dup, g, hv);
    double g1[N], hv1[N] = {5, 5, 5, 5};
    __verso_jvp_void(fresh_gradient, verso_dup, p, v, verso_dup, g1, hv1);
    double g2[N], hv2[N] = {5, 5, 5, 5};
    __verso_jvp_void(heap_gradient, verso_dup, p, v, verso_dup, g2, hv2);
    double hv3[N] = {0};
    __verso_grad_void(directional, verso_dup, p, hv3, verso_const, v);
    double dv[N] = {0}, hv4[N] = {0}, gv[N] = {0};
    __verso_grad_void(directional, verso_dup, p, hv4, verso_dup, v, gv);
    double hv5[N] = {0}, g5[N], w5[N];
    memcpy(w5, v, sizeof v);
    __verso_vjp_void(fresh_gradient, verso_dup, p, hv5, verso_dup, g5, w5);
    double g0[N] = {0};
    gradient(p, g0);
    for (int i = 0; i < N; ++i) {
      CHECK_CLOSE(hv[i], expected[i], 1e-13);
      CHECK_CLOSE(hv1[i], expected[i], 1e-13);
      CHECK_CLOSE(hv2[i], expected[i], 1e-13);
      CHECK_CLOSE(hv3[i], expected[i], 1e-13);
      CHECK_CLOSE(hv4[i], expected[i], 1e-13);
      CHECK_CLOSE(hv5[i], expected[i], 1e-13);
      CHECK_CLOSE(gv[i], g0[i], 1e-13);
      CHECK_CLOSE(g[i], g0[i], 1e-13);
      CHECK_CLOSE(g1[i], g0[i], 1e-13);
    }
    (void)dv;
    CHECK_CLOSE(second(p, v, w), dot_product(w, expected, N), 1e-13);
    // The third derivative along v, w and the first axis; of the Hessian only
    // h[0][0] (2400 x) and h[0][1], h[1][0] (-400) depend on x[0].
    double e[N] = {1};
    CHECK_CLOSE(
        __verso_jvp(second, verso_dup, p, e, verso_const, v, verso_const, w),
        2400 * p[0] * v[0] * w[0] - 400 * (v[0] * w[1] + v[1] * w[0]), 1e-13);
    double t[N] = {0};
    __verso_grad_void(second, verso_dup, p, t, verso_const, v, verso_const, w);
    CHECK_CLOSE(t[0],
                2400 * p[0] * v[0] * w[0] - 400 * (v[0] * w[1] + v[1] * w[0]),
                1e-13);
  }

  double a = 5, r = root(a), slope = 4 * r * r * r + cos(r);
  CHECK_CLOSE(__verso_jvp(root, verso_dup, a, 1.0), 1 / slope, 1e-12);
  CHECK_CLOSE(__verso_grad(root, a), 1 / slope, 1e-12);
  CHECK_CLOSE(__verso_jvp(root_reverse, verso_dup, a, 1.0), 1 / slope, 1e-12);
  return check_status();
}
