//===- nesting-accumulates.c - inner shadows that the outer request varies ===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shadow of an inner gradient is not zero and has a tangent of its own;
// the inner direction depends on the outer variable; an inner request works in
// place on memory that the outer one duplicated; the inner tangent is stored,
// returned, or thrown away.
//
//===----------------------------------------------------------------------===//

#include "forward.h"

CHECK_NOINLINE static double cubes(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += x[i] * x[i] * x[i];
  return sum;
}
CHECK_NOINLINE static void accumulate(const double *x, double *g) {
  __verso_grad_void(cubes, verso_dup, x, g, verso_const, 2);
}
// The inner direction is x itself: 3 x^3 summed, whose derivative is 9 x^2.
CHECK_NOINLINE static double along_itself(const double *x) {
  double v[2] = {x[0], x[1]};
  return __verso_jvp(cubes, verso_dup, x, v, verso_const, 2);
}
CHECK_NOINLINE static double same_memory(const double *x) {
  return __verso_jvp(cubes, verso_dup, x, x, verso_const, 2);
}
CHECK_NOINLINE static void square(double *x, int n) {
  for (int i = 0; i < n; ++i)
    x[i] = x[i] * x[i];
}
CHECK_NOINLINE static void in_place(double *x, double *v) {
  __verso_jvp_void(square, verso_dup, x, v, verso_const, 2);
}
static double kept[2];
CHECK_NOINLINE static double through_global(double x) {
  double p[2] = {x, 2 * x};
  kept[0] = kept[1] = 0;
  __verso_grad_void(cubes, verso_dup, p, kept, verso_const, 2);
  return kept[0] * kept[1];
}
CHECK_NOINLINE static double seeded(const double *x) {
  double y[2] = {x[0], x[1]}, w[2] = {x[1], 1};
  __verso_vjp_void(square, verso_dup, y, w, verso_const, 2);
  return w[0] + w[1];
}
struct pair {
  double a, b;
};
struct pair __verso_jvp_pair(void *, ...);
CHECK_NOINLINE static double wide_inner(double x) {
  double p[2] = {x, 3 * x}, d0[2] = {1, 0}, d1[2] = {x, x};
  struct pair r = __verso_jvp_pair(cubes, verso_width, 2, verso_dup, p, d0, d1,
                                   verso_const, 2);
  return r.a * r.b;
}

int main(void) {
  double x[2] = {2, 3}, v[2] = {1, 0.5}, g[2] = {100, 200}, dg[2] = {7, 9};
  __verso_jvp_void(accumulate, verso_dup, x, v, verso_dup, g, dg);
  CHECK_EQUAL(g[0], 112);
  CHECK_EQUAL(g[1], 227);
  CHECK_EQUAL(dg[0], 7 + 12);
  CHECK_EQUAL(dg[1], 9 + 9);
  CHECK_EQUAL(v[0], 1);
  CHECK_EQUAL(v[1], 0.5);
  CHECK_EQUAL(__verso_jvp(along_itself, verso_dup, x, v), 36 + 40.5);
  CHECK_EQUAL(__verso_jvp(same_memory, verso_dup, x, v), 36 + 40.5);
  double rx[2] = {0, 0};
  __verso_grad_void(along_itself, verso_dup, x, rx);
  CHECK_EQUAL(rx[0], 36);
  CHECK_EQUAL(rx[1], 81);
  double y[2] = {2, 3}, dy[2] = {1, 0}, t[2] = {1, 1}, dt[2] = {0, 5};
  __verso_jvp_void(in_place, verso_dup, y, dy, verso_dup, t, dt);
  CHECK_EQUAL(y[0], 4);
  CHECK_EQUAL(t[0], 4);
  CHECK_EQUAL(t[1], 6);
  CHECK_EQUAL(dy[0], 4);
  CHECK_EQUAL(dt[0], 2);  // d(2 x t) = 2 dx t + 2 x dt
  CHECK_EQUAL(dt[1], 30); // = 2 * 3 * 5
  for (int i = 0; i < 3; ++i) {
    // (3 x^2)(12 x^2) = 36 x^4.
    CHECK_EQUAL(__verso_jvp(through_global, verso_dup, 2.0, 1.0), 144 * 8);
    CHECK_EQUAL(__verso_grad(through_global, 2.0), 144 * 8);
    // 2 x0 x1 + 2 x1.
    CHECK_EQUAL(__verso_jvp(seeded, verso_dup, x, v),
                2 * 3 * 1 + (2 * 2 + 2) * 0.5);
    // 3 x^2 (3 x^3 + 27 x^3) = 90 x^5.
    CHECK_EQUAL(__verso_jvp(wide_inner, verso_dup, 2.0, 1.0), 450 * 16);
    struct pair r =
        __verso_jvp_pair(wide_inner, verso_width, 2, verso_dup, 2.0, 1.0, 0.5);
    CHECK_EQUAL(r.a, 450 * 16);
    CHECK_EQUAL(r.b, 225 * 16);
    CHECK_EQUAL(__verso_grad(wide_inner, 2.0), 450 * 16);
  }
  return check_status();
}
