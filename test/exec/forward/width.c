//===- width.c - several directions at once, in C -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// verso_width for structures by value, float, pointers to pointers and in
// place; the results of all directions in one struct.
//
//===----------------------------------------------------------------------===//

#include "forward.h"

struct two {
  double x, y;
};
struct pair {
  double a, b;
};
struct twos {
  struct two a, b;
};
struct four {
  double v[4];
};
struct four_floats {
  float v[4];
};
struct pair __verso_jvp_pair(void *, ...);
struct twos __verso_jvp_twos(void *, ...);
struct four __verso_jvp_four(void *, ...);
struct four_floats __verso_jvp_four_floats(void *, ...);

static double f(double x, double y) { return x * y * y; }
static float ff(float x) { return x * x; }
CHECK_NOINLINE static struct two swap(struct two p) {
  struct two r = {p.y * p.y, p.x};
  return r;
}
struct node {
  double value;
  struct node *next;
};
CHECK_NOINLINE static double sum(const struct node *n) {
  double s = 0;
  for (; n; n = n->next)
    s += n->value * n->value;
  return s;
}
CHECK_NOINLINE static void square(double *x, int n) {
  for (int i = 0; i < n; ++i)
    x[i] *= x[i];
}

int main(void) {
  struct pair p = __verso_jvp_pair(f, verso_width, 2, verso_dup, 2.0, 1.0, 0.0,
                                   verso_dup, 3.0, 0.0, 1.0);
  CHECK_EQUAL(p.a, 9);
  CHECK_EQUAL(p.b, 12);
  p = __verso_jvp_pair(f, verso_width, 2, verso_const, 2.0, verso_dup, 3.0, 0.5,
                       1.0);
  CHECK_EQUAL(p.a, 6);
  CHECK_EQUAL(p.b, 12);
  CHECK_EQUAL(
      __verso_jvp(f, verso_width, 1, verso_dup, 2.0, 1.0, verso_const, 3.0), 9);
  struct four_floats q = __verso_jvp_four_floats(ff, verso_width, 4, verso_dup,
                                                 3.0f, 1.0f, 2.0f, 3.0f, 4.0f);
  for (int k = 0; k < 4; ++k)
    CHECK_EQUAL(q.v[k], 6 * (k + 1));
  struct twos t =
      __verso_jvp_twos(swap, verso_width, 2, verso_dup, ((struct two){2, 3}),
                       ((struct two){1, 0}), ((struct two){0.5, 2}));
  CHECK_EQUAL(t.a.x, 0);
  CHECK_EQUAL(t.a.y, 1);
  CHECK_EQUAL(t.b.x, 12);
  CHECK_EQUAL(t.b.y, 0.5);
  struct node n[2] = {{1, n + 1}, {2, 0}}, a[2] = {{1, a + 1}, {0, 0}},
              b[2] = {{0, b + 1}, {1, 0}};
  p = __verso_jvp_pair(sum, verso_width, 2, verso_dup, n, a, b);
  CHECK_EQUAL(p.a, 2);
  CHECK_EQUAL(p.b, 4);
  double x[3] = {1, 2, 3}, d0[3] = {1, 0, 0}, d1[3] = {0, 1, 0},
         d2[3] = {0, 0, 1};
  __verso_jvp_void(square, verso_width, 3, verso_dup, x, d0, d1, d2,
                   verso_const, 3);
  CHECK_EQUAL(d0[0], 2);
  CHECK_EQUAL(d0[1], 0);
  CHECK_EQUAL(d1[1], 4);
  CHECK_EQUAL(d2[2], 6);
  return check_status();
}
