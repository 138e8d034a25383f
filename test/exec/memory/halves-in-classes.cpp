//===- halves-in-classes.cpp - _Float16 in containers and structs ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two-byte numbers in a vector that grows and is sorted, in structs by value,
// which move as integers of other sizes, in complex products and in arrays; and
// copied byte by byte.
//
// UNCHECKED: adjoints are rounded to the cells' eleven bits
//
//
// Copies that are checked are of bytes, and halves in them are lost (an error).
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//

#include "../check.h"
#include <algorithm>
#include <array>
#include <numeric>
#include <vector>
struct Pair {
  _Float16 a, b;
};
struct Mixed {
  _Float16 a;
  float f;
};
struct Complex {
  _Float16 re, im;
  Complex operator*(Complex o) const {
    return {_Float16(re * o.re - im * o.im), _Float16(re * o.im + im * o.re)};
  }
};
static double vec(const _Float16 *x, int n) {
  std::vector<_Float16> v(x, x + n);
  v.push_back(2);
  v.insert(v.begin() + 1, v[2]);
  std::sort(v.begin(), v.end());
  std::reverse(v.begin(), v.end());
  std::swap(v[0], v[1]);
  double s = 0;
  for (size_t i = 0; i < v.size(); ++i)
    s += (i + 1) * (double)v[i];
  return s;
}
// v = {3, 4, 1, 4, 2}, sorted and reversed: 4 4 3 2 1.
// 4*1+4*2+3*3+2*4+1*5
__attribute__((noinline)) static Pair byval(Pair p) {
  return {p.b, _Float16(p.a * p.a)};
}
static double pairs(const Pair *p) {
  Pair q = byval(p[0]);
  Pair r[3] = {p[1], q, p[0]};
  std::rotate(r, r + 1, r + 3);
  return (double)r[0].b * (double)r[1].a + (double)r[2].b;
}
static double cplx(const Complex *c, int n) {
  Complex p{1, 0};
  for (int i = 0; i < n; ++i)
    p = p * c[i];
  return (double)p.re;
}
static double bytes(const _Float16 *x, int n) {
  _Float16 y[8];
  for (size_t i = 0; i < n * sizeof(*x); ++i)
    ((char *)y)[i] = ((const char *)x)[i];
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (double)y[i] * (double)y[i];
  return s;
}
static double arr(std::array<_Float16, 3> a) {
  return (double)a[0] * (double)a[1] + (double)a[2];
}
static double arrp(const std::array<_Float16, 3> *a) {
  return arr(a[0]) * arr(a[1]);
}
int main(int c, char **) {
  {
    _Float16 x[3] = {3, 1, 4}, d[3] = {};
    __verso_grad((void *)vec, verso_dup, x, d, 3);
    CHECK_EQUAL((float)d[0], 3);
    CHECK_EQUAL((float)d[1], 5);
    CHECK_EQUAL((float)d[2], 3);
  }
  {
    Pair p[2] = {{2, 3}, {4, 5}}, d[2] = {};
    __verso_grad((void *)pairs, verso_dup, p, d);
    CHECK_EQUAL((float)d[0].a, 12);
    CHECK_EQUAL((float)d[0].b, 0);
    CHECK_EQUAL((float)d[1].b, 1);
    CHECK_EQUAL((float)d[1].a, 0);
  }
  {
    Complex x[2] = {{1, 2}, {3, 4}}, d[2] = {};
    __verso_grad((void *)cplx, verso_dup, x, d, 2);
    CHECK_EQUAL((float)d[0].re, 3);
    CHECK_EQUAL((float)d[0].im, -4);
    CHECK_EQUAL((float)d[1].re, 1);
    CHECK_EQUAL((float)d[1].im, -2);
  }
  {
    std::array<_Float16, 3> x[2] = {{1, 2, 3}, {4, 5, 6}}, d[2] = {};
    __verso_grad((void *)arrp, verso_dup, x, d);
    CHECK_EQUAL((float)d[0][0], 52);
    CHECK_EQUAL((float)d[0][2], 26);
    CHECK_EQUAL((float)d[1][1], 20);
    CHECK_EQUAL((float)d[1][2], 5);
  }
  {
    _Float16 x[3] = {3, 1, 4}, d[3] = {};
    __verso_grad((void *)bytes, verso_dup, x, d, 3);
    CHECK_EQUAL((float)d[0], 6);
    CHECK_EQUAL((float)d[1], 2);
    CHECK_EQUAL((float)d[2], 8);
  }
  return check_status();
}
