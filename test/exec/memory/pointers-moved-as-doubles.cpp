//===- pointers-moved-as-doubles.cpp - their shadows move along -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A union is copied by its double, a struct of pointers by a vector of two,
// into memory of the caller, of the heap and into local variables whose types
// have no pointers: the pointers' shadows move along.
//
// UNCHECKED: -verso-check takes doubles that are moved for numbers
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <emmintrin.h>
#include <stdlib.h>
#include <string.h>

struct Pair {
  double *p, *q;
};

union Any {
  double d;
  double *p;
};

/// x y^2.
static double of(const Pair &s) { return s.p[0] * s.q[0] * s.q[0]; }
CHECK_NOINLINE static double ofAny(const Any *s) {
  return s[0].p[0] * s[1].p[0] * s[1].p[0];
}

CHECK_NOINLINE static double byVector(Pair *s) {
  double t[2];
  _mm_storeu_pd(t, _mm_loadu_pd((double *)s));
  Pair r;
  memcpy(&r, t, sizeof r);
  return of(r);
}

CHECK_NOINLINE static double inHeap(Pair *s) {
  double *t = (double *)malloc(sizeof *s);
  _mm_storeu_pd(t, _mm_loadu_pd((double *)s));
  Pair r;
  memcpy(&r, t, sizeof r);
  free(t);
  return of(r);
}

CHECK_NOINLINE static double inWork(Pair *s, double *work) {
  _mm_storeu_pd(work, _mm_loadu_pd((double *)s));
  Pair r;
  memcpy(&r, work, sizeof r);
  return of(r);
}

CHECK_NOINLINE static double handedOn(Any *s) {
  Any t[2];
  t[0].d = s[0].d;
  t[1].d = s[1].d;
  return ofAny(t);
}

CHECK_NOINLINE static double swapped(Any *s) {
  double d = s[0].d;
  s[0].d = s[1].d;
  s[1].d = d;
  return ofAny(s);
}

CHECK_NOINLINE static double turned(Any *s, Any *t, int n) {
  for (int k = 0; k < n; ++k)
    t[k].d = s[n - 1 - k].d;
  return ofAny(t);
}

/// Read as a double again, from memory of the caller and from a copy by bytes.
CHECK_NOINLINE static double chained(Any *s, Any *t) {
  t[1].d = s[0].d;
  t[0].d = t[1].d;
  Any *u = (Any *)malloc(sizeof *u);
  memcpy(u, s + 1, sizeof *u);
  t[1].d = u->d;
  free(u);
  return ofAny(t);
}

/// The same pointer side by side.
CHECK_NOINLINE static double spread(Any *s, Any *t) {
  t[1].d = s[0].d;
  t[0].d = t[1].d;
  return ofAny(t);
}

/// As a double to a function, and back.
CHECK_NOINLINE static double pass(double d) { return d; }
CHECK_NOINLINE static double called(Any *s) {
  Any t[2];
  t[0].d = pass(s[1].d);
  t[1].d = pass(s[0].d);
  return ofAny(t);
}

/// Numbers and pointers in turn.
struct Node {
  Any value;
  int isPointer;
};
CHECK_NOINLINE static double mixed(Node *a, Node *b, int n) {
  for (int k = 0; k < n; ++k) {
    b[n - 1 - k].value.d = a[k].value.d;
    b[n - 1 - k].isPointer = a[k].isPointer;
  }
  double s = 1;
  for (int k = 0; k < n; ++k)
    s *= b[k].isPointer ? b[k].value.p[0] : (k + 1) * b[k].value.d;
  return s;
}

int main() {
  double x = 3, y = 5, dx, dy, work[2], dwork[2];
  Pair s, ds;
  Any a[2], da[2], b[2], db[2];
  auto begin = [&] {
    dx = dy = dwork[0] = dwork[1] = 0;
    s = {&x, &y};
    ds = {&dx, &dy};
    a[0].p = b[0].p = b[1].p = &x;
    a[1].p = &y;
    da[0].p = db[0].p = db[1].p = &dx;
    da[1].p = &dy;
  };
  auto expect = [&](double ofX, double ofY) {
    CHECK_EQUAL(dx, ofX);
    CHECK_EQUAL(dy, ofY);
    begin();
  };
  begin();
  __verso_grad_void((void *)byVector, verso_dup, &s, &ds);
  expect(25, 30);
  __verso_grad_void((void *)inHeap, verso_dup, &s, &ds);
  expect(25, 30);
  __verso_grad_void((void *)inWork, verso_dup, &s, &ds, verso_dup, work, dwork);
  expect(25, 30);
  __verso_grad_void((void *)handedOn, verso_dup, a, da);
  expect(25, 30);
  __verso_grad_void((void *)swapped, verso_dup, a, da);
  // The shadow structure has followed.
  CHECK_EQUAL(da[0].p == &dy && da[1].p == &dx, true);
  expect(30, 9);
  __verso_grad_void((void *)turned, verso_dup, a, da, verso_dup, b, db,
                    verso_const, 2);
  CHECK_EQUAL(db[0].p == &dy && db[1].p == &dx, true);
  expect(30, 9);
  __verso_grad_void((void *)chained, verso_dup, a, da, verso_dup, b, db);
  CHECK_EQUAL(db[0].p == &dx && db[1].p == &dy, true);
  expect(25, 30);
  __verso_grad_void((void *)spread, verso_dup, a, da, verso_dup, b, db);
  CHECK_EQUAL(db[0].p == &dx && db[1].p == &dx, true);
  expect(27, 0);
  __verso_grad_void((void *)called, verso_dup, a, da);
  expect(30, 9);

  Node from[3], dfrom[3], to[3], dto[3];
  from[0] = {{.p = &x}, 1};
  from[1] = {{.d = 7}, 0};
  from[2] = {{.p = &y}, 1};
  memcpy(dfrom, from, sizeof from);
  dfrom[0].value.p = &dx;
  dfrom[1].value.d = 0;
  dfrom[2].value.p = &dy;
  memset(to, 0, sizeof to);
  memset(dto, 0, sizeof dto);
  __verso_grad_void((void *)mixed, verso_dup, from, dfrom, verso_dup, to, dto,
                    verso_const, 3);
  CHECK_EQUAL(dfrom[1].value.d, 2 * 3 * 5);
  expect(5 * 14, 3 * 14);
  return check_status();
}
