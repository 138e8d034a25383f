//===- fortran-bodies.c - what flang's library does for arrays ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LIBS: -Wl,--unresolved-symbols=ignore-all
// UNCHECKED: the functions themselves are not linked, and the check runs them
//
// Calls as flang makes them (it need not be installed for this; with it,
// driver/fortran.test is a program in Fortran). In differentiated code they are
// bodies of ours; the functions themselves are never run.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  int64_t lower, extent, stride;
} dimension;
typedef struct {
  void *base;
  size_t bytes;
  int version;
  int8_t rank, type, attribute;
  uint8_t extra;
  dimension dim[2];
} array;

void _FortranAAssign(array *, const array *, const char *, int);
void _FortranAMatmulReal8Real8(array *, const array *, const array *,
                               const char *, int);
double _FortranASumReal8(const array *, const char *, int, int, const array *);
double _FortranAMaxvalReal8(const array *, const char *, int, int,
                            const array *);
void _FortranAMaxvalDim(array *, const array *, int, const char *, int,
                        const array *);
void _FortranAMinvalDim(array *, const array *, int, const char *, int,
                        const array *);
void _FortranAProductDim(array *, const array *, int, const char *, int,
                         const array *);
double _FortranAModReal8(double, double, const char *, int);
double _FortranAModuloReal8(double, double, const char *, int);
int _FortranAAllocatableAllocateSource(array *, const array *, _Bool,
                                       const array *, const char *, int);
int _FortranAAllocatableDeallocate(array *, _Bool, const array *, const char *,
                                   int);

static array vector(double *x, int64_t n, int64_t step) {
  array a = {x, sizeof *x, 20240719, 1, 28, 0, 0, {{1, n, step * 8}}};
  return a;
}
static array matrix(double *x, int64_t m, int64_t n) {
  array a = {x,  sizeof *x, 20240719, 2, 28, 0, 0,
             {{1, m, 8}, {1, n, m * 8}}};
  return a;
}

// y(2:4) = y(1:3); y(4:1:-1) = y; the sum of the weighted elements.
static double overlapping(const double *x) {
  double y[4];
  for (int i = 0; i < 4; ++i)
    y[i] = x[i];
  array to = vector(y + 1, 3, 1), from = vector(y, 3, 1);
  _FortranAAssign(&to, &from, "f", 1);
  array back = vector(y + 3, 4, -1), all = vector(y, 4, 1);
  _FortranAAssign(&back, &all, "f", 2);
  return y[0] + 10 * y[1] + 100 * y[2] + 1000 * y[3];
}

// a = x; a = x(1:4:2), with a allocatable; its sum squared.
static double allocated(double *x) {
  array a = {NULL, sizeof *x, 20240719, 1, 28, 2, 0, {{1, 0, 8}}};
  array whole = vector(x, 4, 1), odd = vector(x, 2, 2);
  _FortranAAssign(&a, &whole, "f", 1);
  double first = ((double *)a.base)[3];
  _FortranAAssign(&a, &odd, "f", 2);
  double sum = _FortranASumReal8(&a, "f", 3, 0, NULL);
  _FortranAAllocatableDeallocate(&a, false, NULL, "f", 4);
  return sum * sum * first;
}

// allocate(a(4), source = x): the product of two elements.
static double allocated_from(double *x) {
  array a = {NULL, sizeof *x, 20240719, 1, 28, 2, 0, {{1, 4, 8}}};
  array whole = vector(x, 4, 1);
  _FortranAAllocatableAllocateSource(&a, &whole, false, NULL, "f", 1);
  double product = ((double *)a.base)[1] * ((double *)a.base)[2];
  _FortranAAllocatableDeallocate(&a, false, NULL, "f", 2);
  return product;
}

// The largest element of the square of a 2 x 2 matrix.
static double largest(double *x) {
  array a = matrix(x, 2, 2), square;
  _FortranAMatmulReal8Real8(&square, &a, &a, "f", 1);
  double most = _FortranAMaxvalReal8(&square, "f", 2, 0, NULL);
  free(square.base);
  return most;
}

// Of (x0 x2; x1 x3) the largest of each column, the least of each row, and the
// products of the rows.
static double along(double *x) {
  array a = matrix(x, 2, 2), most, least, products;
  _FortranAMaxvalDim(&most, &a, 1, "f", 1, NULL);
  _FortranAMinvalDim(&least, &a, 2, "f", 2, NULL);
  _FortranAProductDim(&products, &a, 2, "f", 3, NULL);
  const double *m = most.base, *l = least.base, *p = products.base;
  return m[0] * m[1] + 10 * (l[0] + 2 * l[1]) + 100 * (p[0] + 3 * p[1]);
}

// Of -7.5 and 2: -1.5 with three times 2, and 0.5 with four times 2.
static double remainders(double x, double y) {
  return _FortranAModReal8(x, y, "f", 1) +
         10 * _FortranAModuloReal8(x, y, "f", 2);
}

int main(void) {
  double x[4] = {1, 2, 3, 4}, d[4] = {0};
  __verso_grad(overlapping, verso_dup, x, d); // 1 1 2 3, then 3 2 1 1
  CHECK_EQUAL(d[0], 1100);
  CHECK_EQUAL(d[1], 10);
  CHECK_EQUAL(d[2], 1);
  CHECK_EQUAL(d[3], 0);

  double e[4] = {0}; // (x0 + x2)^2 x3
  __verso_grad(allocated, verso_dup, x, e);
  CHECK_EQUAL(e[0], 2 * 4 * 4);
  CHECK_EQUAL(e[1], 0);
  CHECK_EQUAL(e[2], 2 * 4 * 4);
  CHECK_EQUAL(e[3], 16);

  double h[4] = {0};
  __verso_grad(allocated_from, verso_dup, x, h);
  CHECK_EQUAL(h[0], 0);
  CHECK_EQUAL(h[1], 3);
  CHECK_EQUAL(h[2], 2);
  CHECK_EQUAL(h[3], 0);

  double g[4] = {0}; // a = (1 3; 2 4): x1 x2 + x3^2 is largest
  __verso_grad(largest, verso_dup, x, g);
  CHECK_EQUAL(g[0], 0);
  CHECK_EQUAL(g[1], 3);
  CHECK_EQUAL(g[2], 2);
  CHECK_EQUAL(g[3], 8);

  double k[4] = {0};
  __verso_grad(along, verso_dup, x, k);
  CHECK_EQUAL(k[0], 10 + 100 * 3);
  CHECK_EQUAL(k[1], 4 + 20 + 100 * 3 * 4);
  CHECK_EQUAL(k[2], 100 * 1);
  CHECK_EQUAL(k[3], 2 + 100 * 3 * 2);
  CHECK_EQUAL(__verso_grad(remainders, -7.5, verso_const, 2.0), 11);
  CHECK_EQUAL(__verso_grad(remainders, verso_const, -7.5, 2.0), 3 + 10 * 4);
  return check_status();
}
