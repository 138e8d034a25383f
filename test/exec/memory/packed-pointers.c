//===- packed-pointers.c - pointers at addresses that are no multiples of 4
//===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structures of a flag and a pointer, packed, that are assigned, swapped and
// copied byte by byte, of the function and of the caller: shadows go along. No
// number here is packed.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

double __verso_jvp(void *, ...);

#pragma pack(push, 1)
typedef struct {
  char flag;
  double *p;
} Packed;
#pragma pack(pop)

static double assigned(double *x, double *y) {
  Packed a[2] = {{1, x}, {2, y}}, t = a[0];
  a[0] = a[1];
  a[1] = t;
  return a[0].p[0] * a[1].p[1];
}

static double in_loop(double *x, double *y) {
  Packed a[4], b[4];
  double sum = 0;
  for (int i = 0; i < 4; ++i)
    a[i] = (Packed){(char)i, i & 1 ? y : x};
  for (int i = 0; i < 4; ++i)
    b[i] = a[3 - i];
  for (int i = 0; i < 4; ++i)
    sum += b[i].p[0] * b[(i + 1) & 3].p[1];
  return sum;
}

static double by_bytes(double *x, double *y) {
  Packed a = {1, x}, b = {2, y};
  for (unsigned i = 0; i < sizeof(a); ++i)
    ((char *)&b)[i] = ((char *)&a)[i];
  return b.p[0] * b.p[1] * y[0];
}

static double swapped(Packed *s) {
  Packed t = s[0];
  s[0] = s[1];
  s[1] = t;
  return s[0].p[0] * s[1].p[1];
}

static double copied(Packed *s) {
  Packed t[2];
  memcpy(t, s, sizeof(t));
  return t[0].p[0] * t[1].p[1];
}

static double copied_by_bytes(Packed *s) {
  Packed t[2];
  for (unsigned i = 0; i < sizeof(t); ++i)
    ((char *)t)[i] = ((char *)s)[i];
  return t[0].p[0] * t[1].p[1];
}

static double x[2] = {2, 3}, y[2] = {5, 7};

static void check(const double *d, double x0, double x1, double y0, double y1) {
  const double expected[4] = {x0, x1, y0, y1};
  for (int k = 0; k < 4; ++k)
    CHECK_EQUAL(d[k], expected[k]);
}

#define CHECK_POINTERS(F, ...)                                                 \
  do {                                                                         \
    double d[4] = {0}, t[4];                                                   \
    __verso_grad(F, verso_dup, x, d, verso_dup, y, d + 2);                     \
    check(d, __VA_ARGS__);                                                     \
    for (int k = 0; k < 4; ++k) {                                              \
      double e[4] = {k == 0, k == 1, k == 2, k == 3};                          \
      t[k] = __verso_jvp(F, verso_dup, x, e, verso_dup, y, e + 2);             \
    }                                                                          \
    check(t, __VA_ARGS__);                                                     \
  } while (0)

#define CHECK_STRUCTURES(F, ...)                                               \
  do {                                                                         \
    double d[4] = {0}, t[4];                                                   \
    Packed s[2] = {{1, x}, {2, y}}, ds[2] = {{0, d}, {0, d + 2}};              \
    __verso_grad(F, verso_dup, s, ds);                                         \
    check(d, __VA_ARGS__);                                                     \
    for (int k = 0; k < 4; ++k) {                                              \
      double e[4] = {k == 0, k == 1, k == 2, k == 3};                          \
      Packed u[2] = {{1, x}, {2, y}}, du[2] = {{0, e}, {0, e + 2}};            \
      t[k] = __verso_jvp(F, verso_dup, u, du);                                 \
    }                                                                          \
    check(t, __VA_ARGS__);                                                     \
  } while (0)

int main(void) {
  CHECK_POINTERS(assigned, 0, 5, 3, 0);
  CHECK_POINTERS(in_loop, 14, 10, 6, 4);
  CHECK_POINTERS(by_bytes, 15, 10, 6, 0);
  CHECK_STRUCTURES(swapped, 0, 5, 3, 0);
  CHECK_STRUCTURES(copied, 7, 0, 0, 2);
  CHECK_STRUCTURES(copied_by_bytes, 7, 0, 0, 2);
  return check_status();
}
