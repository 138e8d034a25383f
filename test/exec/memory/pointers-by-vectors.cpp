//===- pointers-by-vectors.cpp - pointers that are moved as numbers -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointers of the caller's structure, or of a local one, that are copied into a
// local structure two at a time as a vector of doubles, or as a union's double,
// lead to their shadows. Numbers that are copied in the same way stay numbers.
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <emmintrin.h>

struct Pair {
  double *a, *b;
};
union Any {
  double *p;
  double d;
};

static void move(void *to, const void *from) {
  _mm_storeu_pd((double *)to, _mm_loadu_pd((const double *)from));
}
__attribute__((noinline)) static double product(const Pair *s) {
  return s->a[0] * s->b[0];
}
static double ofCaller(const Pair *s) {
  Pair t;
  move(&t, s);
  return product(&t);
}
static double ofLocal(double *x, double *y) {
  Pair s{x, y}, t;
  move(&t, &s);
  return product(&t);
}
static double ofUnion(const Any *u) {
  Any t;
  t.d = u->d;
  return t.p[0] * t.p[0];
}
static double ofNumbers(const double *x, double *out) {
  double t[2];
  move(t, x);
  move(out, x);
  return t[0] * t[1] + out[0] * out[0];
}
// Numbers that come to the caller twice are no pointers.
static void overlapping(const double *x, double *out) {
  double t[4] = {0};
  for (int i = 0; i < 3; ++i)
    move(t + i, x + i);
  __builtin_memcpy(out, t, sizeof t);
  move(out + 4, x);
}
struct Beside {
  double v[2];
  const void *p;
};
static void besidePointers(const double *x, double *out) {
  Beside s;
  s.p = x;
  for (int i = 0; i < 2; ++i)
    s.v[i] = x[i];
  Beside t = s;
  __builtin_memcpy(out, t.v, sizeof t.v);
  __builtin_memcpy(out + 2, s.v, sizeof s.v);
}

int main() {
  {
    double x = 2, y = 3, dx = 0, dy = 0;
    Pair s{&x, &y}, ds{&dx, &dy};
    __verso_grad((void *)ofCaller, verso_dup, &s, &ds);
    CHECK_EQUAL(dx, 3);
    CHECK_EQUAL(dy, 2);
    CHECK_EQUAL(ds.a == &dx && ds.b == &dy, 1);
  }
  {
    double x = 2, y = 3, dx = 0, dy = 0;
    __verso_grad((void *)ofLocal, verso_dup, &x, &dx, verso_dup, &y, &dy);
    CHECK_EQUAL(dx, 3);
    CHECK_EQUAL(dy, 2);
  }
  {
    double x = 2, dx = 0;
    Any u, du;
    u.p = &x;
    du.p = &dx;
    __verso_grad((void *)ofUnion, verso_dup, &u, &du);
    CHECK_EQUAL(dx, 4);
  }
  {
    double x[2] = {2, 3}, dx[2] = {1, 1}, out[2] = {5, 5}, dout[2] = {10, 20};
    __verso_grad((void *)ofNumbers, verso_dup, x, dx, verso_dup, out, dout);
    CHECK_EQUAL(dx[0], 1 + 3 + 4 + 10);
    CHECK_EQUAL(dx[1], 1 + 2 + 20);
    CHECK_EQUAL(dout[0], 0);
    CHECK_EQUAL(dout[1], 0);
  }
  {
    double x[4] = {2, 3, 4, 5}, dx[4] = {1, 1, 1, 1};
    double out[6] = {}, dout[6] = {1, 2, 3, 4, 10, 20};
    __verso_grad((void *)overlapping, verso_dup, x, dx, verso_dup, out, dout);
    CHECK_EQUAL(dx[0], 1 + 1 + 10);
    CHECK_EQUAL(dx[1], 1 + 2 + 20);
    CHECK_EQUAL(dx[2], 1 + 3);
    CHECK_EQUAL(dx[3], 1 + 4);
    __verso_grad((void *)besidePointers, verso_dup, x, dx, verso_dup, out,
                 dout);
    CHECK_EQUAL(dx[0], 12);
    double again[4] = {1, 2, 3, 4};
    __verso_grad((void *)besidePointers, verso_dup, x, dx, verso_dup, out,
                 again);
    CHECK_EQUAL(dx[0], 12 + 4);
    CHECK_EQUAL(dx[1], 23 + 6);
  }
  return check_status();
}
