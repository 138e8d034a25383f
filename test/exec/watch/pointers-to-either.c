//===- pointers-to-either.c - to watched memory, or to a local array ------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structures that hold a pointer are old or local, and so is what the pointer
// leads to; they are copied from one kind to the other. (There is no shadow of
// a pointer in old memory: what such copies brought was a constant.) Against
// differences, which are exact up to rounding: f and g are quadratic in each
// cell of q.
//
// LEVELS: O0 O1 O2g O3
//
//===----------------------------------------------------------------------===//

#include "../check.h"

void verso_watch(void *, size_t);
void *verso_adjoint_of(const void *);

struct S {
  double *p;
  double k;
};
struct A {
  struct S s[2];
  double w[3];
  int c;
};
CHECK_NOINLINE static double f(struct A *a, double x) {
  double own[3] = {x, 2 * x, 3 * x};
  struct S local = {own, x};
  struct S *s = a->c ? &a->s[0] : &local;
  double r = 0;
  for (int i = 0; i < 3; i++)
    r += s->p[i] * (i + 1) * s->k;
  return r * r;
}
CHECK_NOINLINE static double g(struct A *a, double x, int n) {
  double own[3] = {x, 2 * x, 3 * x};
  struct S arr[4];
  for (int i = 0; i < 4; i++) {
    arr[i] = a->s[i & 1];
    if (i == n)
      arr[i].p = own;
  }
  double r = 0;
  for (int i = 0; i < 4; i++)
    r += arr[(i + n) % 4].p[i % 3] * arr[i].k * arr[i].p[1];
  return r;
}
double q[2][3] = {{1, 2, 3}, {4, 5, 6}};

static double call(struct A *a, int n) {
  return n < 0 ? f(a, 0.7) : g(a, 0.7, n);
}
static void check(struct A *a, int n) {
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 3; ++i) {
      double got = *(double *)verso_adjoint_of(&q[k][i]), old = q[k][i];
      q[k][i] = old + 1;
      double above = call(a, n);
      q[k][i] = old - 1;
      double below = call(a, n);
      q[k][i] = old;
      // g is a product of two cells, one of which may be the other.
      CHECK_CLOSE(got, (above - below) / 2, 1e-12);
    }
}

int main(void) {
  struct A a = {{{q[0], 0.5}, {q[1], 0.7}}, {1, 2, 3}, 0};
  verso_watch(q, sizeof q);
  for (int n = 0; n < 4; ++n) {
    a.c = n & 1;
    __verso_grad(f, verso_const, &a, verso_out, 0.7);
    check(&a, -1);
    __verso_grad(g, verso_const, &a, verso_out, 0.7, n);
    check(&a, n);
  }
  return check_status();
}
