//===- calls.c - calls of every kind ------------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Function pointers from tables and from memory, callbacks through qsort and
// bsearch, variadic printf, library functions with results through pointers
// (modf, frexp, sincos, lgamma_r), many arguments, results that are unused.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include "forward.h"

static double add(double a, double b) { return a + b; }
static double mul(double a, double b) { return a * b; }
static double (*const table[])(double, double) = {add, mul, fmax, pow};
static double (*chosen)(double, double);
CHECK_NOINLINE static void pointers(double *x, double *y) {
  y[0] = table[0](x[0], x[1]);
  for (int i = 0; i < 4; ++i)
    y[0] = table[i](y[0], x[i]);
  chosen = y[0] > 0 ? mul : add;
  y[1] = chosen(x[2], y[0]);
}
static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}
struct item {
  int key;
  double value;
};
static int by_key(const void *a, const void *b) {
  return ((const struct item *)a)->key - ((const struct item *)b)->key;
}
CHECK_NOINLINE static void sorted(double *x, double *y) {
  double copy[4];
  memcpy(copy, x, sizeof copy);
  qsort(copy, 4, sizeof *copy, by_value);
  y[0] = copy[0] + 2 * copy[1] + 3 * copy[2] + 4 * copy[3];
  struct item items[4];
  for (int i = 0; i < 4; ++i) {
    items[i].key = (i * 3 + 1) % 4;
    items[i].value = x[i] * x[i];
  }
  qsort(items, 4, sizeof *items, by_key);
  struct item key = {2, 0};
  struct item *found = bsearch(&key, items, 4, sizeof *items, by_key);
  y[1] = found->value * items[0].value;
}
CHECK_NOINLINE static void library(double *x, double *y) {
  double whole, s, c;
  int e;
  y[0] = modf(x[0] * 3, &whole) * x[1] + whole;
  y[0] += frexp(x[1], &e) * e;
  sincos(x[2], &s, &c);
  y[1] = s * c + ldexp(x[3], 3) + hypot(x[0], x[1]) + fma(x[0], x[1], x[2]) +
         remainder(x[3], 1.5) + cbrt(x[1]) + erf(x[0]) + tgamma(x[1]);
  char text[64];
  snprintf(text, sizeof text, "%d %.17g %s", 3, x[0], "text");
  y[1] *= atof("1.5") + (text[0] == '3');
}
CHECK_NOINLINE static double many(double a, float b, double c, int i, double d,
                                  double e, long double l, double f, double g,
                                  double h, double *p, double k, double m) {
  return a * b + c * i + d * e + (double)l * f + g * h + *p * k * m;
}
CHECK_NOINLINE static void arguments(double *x, double *y) {
  y[0] = many(x[0], 2, x[1], 3, x[2], x[3], x[0] * x[1], x[1], x[2], x[0],
              x + 3, x[1], x[2]);
  many(x[0], 2, x[1], 3, x[2], x[3], x[0] * x[1], x[1], x[2], x[0], x, 1, 2);
  y[1] = x[0];
}

int main(void) {
  double x[] = {0.7, 1.3, -0.4, 2.2};
  CHECK_TRANSPOSE(pointers, 4, 2, x);
  CHECK_TRANSPOSE(sorted, 4, 2, x);
  CHECK_TRANSPOSE(library, 4, 2, x);
  CHECK_TRANSPOSE(arguments, 4, 2, x);
  return check_status();
}
