//===- detach.c - numbers that are detached, beside pointers --------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// verso_detach makes the numbers of a structure constants; its pointers keep
// their shadows, in local variables, on the heap and in a structure of the
// caller, in reverse and in forward mode, and where an outer request
// differentiates the gradient. Integers of a shadow structure stay as they are.
// An inactive function's copy of floats leaves none of their tangents either,
// which look like addresses where the second is zero.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

void verso_detach(void *, size_t);
double __verso_jvp(void *, ...);

typedef struct {
  double a;
  const double *p;
  double b;
  const double *same;
  float f[3];
  int n;
} Model;

/// d x0 = a, d x1 = b + f0, d x2 = f2.
static double in_variable(const double *x) {
  Model m = {x[0] * 2, x, x[1], 0, {(float)x[0], 0, (float)x[1]}, 2};
  verso_detach(&m, sizeof(m));
  return m.p[0] * m.a + m.p[1] * m.b + m.f[0] * x[1] + m.f[2] * m.p[m.n];
}

/// d x0 = 2 x0, d x1 = x0, d x2 = x2.
static double on_heap(const double *x) {
  Model *m = malloc(2 * sizeof(*m));
  m[0] = (Model){x[0] * 2, x, x[1], 0, {(float)x[0], 0, 0}, 2};
  m[1] = (Model){x[0] * 3, x + 1, x[2], 0, {(float)x[0], 0, 0}, 1};
  verso_detach(m, 2 * sizeof(*m));
  double y = m[0].p[0] * m[0].a + m[1].p[1] * m[1].b + m[1].f[0] * x[1];
  free(m);
  return y;
}

/// d p0 = a, d p1 = a b, d p2 = f0, d a = p1 b.
static double in_argument(Model *m) {
  double y = m->a;
  verso_detach(m, sizeof(*m));
  return m->p[0] * m->a + m->p[1] * m->b * y + m->f[0] * m->p[m->n] +
         m->same[0] * m->b;
}

static double of_floats(const double *x) {
  float y[4] = {(float)(x[0] * x[1]), 0, (float)x[1], 0};
  verso_detach(y, sizeof(y));
  return y[0] * x[0] + y[2] * x[1];
}

__attribute__((annotate("verso_inactive"), noinline)) static void
copy(float *to, const float *from, int n) {
  memcpy(to, from, n * sizeof(float));
}

static double of_copied_floats(const double *x) {
  float y[4] = {(float)(x[0] * x[1]), 0, (float)x[1], 0}, z[4];
  copy(z, y, 4);
  return z[0] * x[0] + z[2] * x[1];
}

/// 2 x0^2 detached times x0, by a pointer: the gradient is 4 x0.
static double inner(const double *x) {
  Model m = {2 * x[0] * x[0], x, 0, 0, {0, 0, 0}, 0};
  double a = m.a;
  verso_detach(&m, sizeof(m));
  return m.p[0] * m.a + 0 * a + m.p[0] * m.p[1];
}
static double gradient_of_inner(const double *x) {
  double d[2] = {0, 0};
  __verso_grad(inner, verso_dup, x, d);
  return d[0] + 10 * d[1];
}

/// An inactive function copies a pointer as well. With v = x0^2 and f = x0,
/// both detached, the gradient is v x1^2 + 3 f x0^2, 2 v x0 x1.
typedef struct {
  double v;
  const double *p;
  float f[2];
} Node;
__attribute__((annotate("verso_inactive"), noinline)) static void
copy_node(Node *to, const Node *from) {
  memcpy(to, from, sizeof(*to));
}
static double inner_of_copies(const double *x) {
  Node a = {x[0] * x[0], x + 1, {(float)x[0], 0}}, b;
  copy_node(&b, &a);
  return b.v * b.p[0] * b.p[0] * x[0] + b.f[0] * x[0] * x[0] * x[0];
}
static double gradient_of_copies(const double *x) {
  double d[2] = {0, 0};
  __verso_grad(inner_of_copies, verso_dup, x, d);
  return d[0] + 10 * d[1];
}

#define CHECK_BOTH(F, N, X, ...)                                               \
  do {                                                                         \
    double expected[N] = {__VA_ARGS__}, d[N] = {0};                            \
    __verso_grad(F, verso_dup, X, d);                                          \
    for (int k = 0; k != N; ++k) {                                             \
      double t[N] = {0};                                                       \
      t[k] = 1;                                                                \
      CHECK_EQUAL(d[k], expected[k]);                                          \
      CHECK_EQUAL(__verso_jvp(F, verso_dup, X, t), expected[k]);               \
    }                                                                          \
  } while (0)

int main(void) {
  double x[3] = {2, 3, 5};
  CHECK_BOTH(in_variable, 3, x, 4, 5, 3);
  CHECK_BOTH(on_heap, 3, x, 4, 2, 5);
  CHECK_BOTH(of_floats, 2, x, 6, 3);
  CHECK_BOTH(of_copied_floats, 2, x, 6, 3);

  double d[3] = {0}, constant[1] = {13};
  Model m = {7, x, 11, constant, {1.5f, 0, 2}, 2};
  Model dm = {0, d, 0, constant, {0, 0, 0}, 2};
  __verso_grad(in_argument, verso_dup, &m, &dm);
  CHECK_EQUAL(d[0], 7);
  CHECK_EQUAL(d[1], 77);
  CHECK_EQUAL(d[2], 1.5);
  CHECK_EQUAL(dm.a, 33);
  CHECK_EQUAL(dm.b, 0);
  CHECK_EQUAL(dm.f[0], 0);
  CHECK_EQUAL(dm.n, 2);
  CHECK_EQUAL(dm.p == d, 1);
  for (int k = 0; k < 5; ++k) {
    const double expected[5] = {7, 77, 1.5, 33, 0};
    double t[3] = {k == 0, k == 1, k == 2}, zero[1] = {0};
    Model tm = {k == 3, t, k == 4, zero, {0, 0, 0}, 2};
    CHECK_EQUAL(__verso_jvp(in_argument, verso_dup, &m, &tm), expected[k]);
  }
  // Of 2 x0^2, detached, + x1 + 10 x0.
  CHECK_BOTH(gradient_of_inner, 2, x, 10, 1);
  CHECK_BOTH(gradient_of_copies, 2, x, 264, 184);
  return check_status();
}
