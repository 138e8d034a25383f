//===- halves-by-bytes.cpp - _Float16 copied byte by byte -----------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An odd number of two-byte numbers that is copied byte by byte leaves half of
// a granule as it was: into a local array (whatever lay in the frame before),
// to another place in a granule, there and back, and into the user's memory.
// Beside them wider numbers, and a copy of two numbers of which one was read.
//
// UNCHECKED: adjoints are rounded to the cells' eleven bits
//
//===----------------------------------------------------------------------===//

#include "../check.h"

static void copyBytes(void *to, const void *from, int n) {
  for (int i = 0; i < n; ++i)
    ((char *)to)[i] = ((const char *)from)[i];
}
static double squares(const _Float16 *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (double)x[i] * (double)x[i];
  return s;
}
static double local(const _Float16 *x, int n) {
  volatile double before[16];
  before[n] = 1;
  _Float16 y[8];
  copyBytes(y, x, n * 2);
  return squares(y, n) * before[n];
}
static double afterReading(const _Float16 *x, int n) {
  double s = squares(x, n);
  _Float16 y[8];
  copyBytes(y, x, n * 2);
  return s + squares(y, n);
}
static double computed(const _Float16 *x, int n) {
  _Float16 y[8], z[8];
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i];
  copyBytes(z, y, n * 2);
  return squares(z, n);
}
static double displaced(const _Float16 *x, int n) {
  _Float16 y[8], z[8];
  copyBytes(y + 1, x, n * 2);
  copyBytes(z, y + 1, n * 2);
  return squares(y + 1, n) + squares(z, n);
}
static double twice(const _Float16 *x, int n) {
  _Float16 y[8], z[8];
  copyBytes(y, x, n * 2);
  __builtin_memcpy(z + 1, y, n * 2);
  copyBytes(y + 3, z + 1, n * 2);
  return squares(y + 3, n);
}
static void intoOutput(const _Float16 *x, _Float16 *y, int n) {
  copyBytes(y, x, n * 2);
}
static double overwritten(_Float16 *x, _Float16 *y, int n) {
  double s = squares(y, n);
  copyBytes(y, x, n * 2);
  return s + squares(y, n);
}
__attribute__((noinline)) static void copy(void *to, const void *from, int n) {
  __builtin_memcpy(to, from, n);
}
static double besideAnother(const _Float16 *x, int n) {
  double s = (double)x[0];
  _Float16 y[4];
  copy(y, x, n * 2);
  return s + squares(y, n);
}
struct Both {
  float a;
  _Float16 b;
  double c;
  _Float16 d;
};
static double both(const Both *x) {
  Both y;
  copyBytes(&y, x, sizeof y);
  return (double)y.a * (double)y.b + y.c * (double)y.d;
}
#define CHECK_COPY(f, of3, of1, of4)                                           \
  {                                                                            \
    _Float16 x[3] = {3, 1, 4}, d[3] = {};                                      \
    __verso_grad((void *)f, verso_dup, x, d, 3);                               \
    CHECK_EQUAL((float)d[0], of3);                                             \
    CHECK_EQUAL((float)d[1], of1);                                             \
    CHECK_EQUAL((float)d[2], of4);                                             \
  }
int main() {
  CHECK_COPY(local, 6, 2, 8);
  CHECK_COPY(afterReading, 12, 4, 16);
  CHECK_COPY(computed, 108, 4, 256);
  CHECK_COPY(displaced, 12, 4, 16);
  CHECK_COPY(twice, 6, 2, 8);
  CHECK_COPY(besideAnother, 7, 2, 8);
  {
    alignas(4) _Float16 x[3] = {3, 1, 4}, y[3] = {}, d[3] = {},
                        e[3] = {1, 2, 3};
    __verso_grad((void *)intoOutput, verso_dup, x, d, verso_dup, y, e, 3);
    for (int i = 0; i < 3; ++i) {
      CHECK_EQUAL((float)d[i], i + 1);
      CHECK_EQUAL((float)e[i], 0);
    }
  }
  {
    alignas(4) _Float16 x[3] = {3, 1, 4}, y[3] = {5, 6, 7}, d[3] = {},
                        e[3] = {};
    __verso_grad((void *)overwritten, verso_dup, x, d, verso_dup, y, e, 3);
    for (int i = 0; i < 3; ++i) {
      CHECK_EQUAL((float)d[i], 2 * (float)x[i]);
      CHECK_EQUAL((float)e[i], 2 * (5 + i));
    }
  }
  {
    Both x{2, 3, 4, 5}, d{};
    __verso_grad((void *)both, verso_dup, &x, &d);
    CHECK_EQUAL(d.a, 3);
    CHECK_EQUAL((float)d.b, 2);
    CHECK_EQUAL(d.c, 5);
    CHECK_EQUAL((float)d.d, 4);
  }
  return check_status();
}
