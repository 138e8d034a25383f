//===- fields-in-loops.c - coordinates by a subscript ---------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// STRATEGY: structured
//
// Arrays of structures with a few coordinates, and integers behind them. A loop
// over the coordinates comes to no integer, also where LLVM keeps the loop, and
// where it makes a short copy of it.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <verso/verso.h>

#include <stdlib.h>

enum { N = 4, X = 7 * N };

typedef struct {
  double at[3], speed[3];
  int kind;
} Body;

static double bodies(const double *x, long n) {
  Body *b = malloc((n + 1) * sizeof *b);
  double energy = 0;
  for (long i = 0; i < n; ++i) {
    for (int c = 0; c < 3; ++c)
      b[i].at[c] = x[7 * i + c], b[i].speed[c] = x[7 * i + 3 + c];
    b[i].kind = i % 2;
  }
  for (int step = 0; step < 2; ++step) {
    for (long i = 0; i < n; ++i)
      for (int c = 0; c < 3; ++c) {
        double force = 0;
        for (long j = 0; j < n; ++j)
          force += (b[j].at[c] - b[i].at[c]) * (b[j].kind ? 2 : 1) /
                   (1 + b[i].speed[c] * b[i].speed[c]);
        b[i].speed[c] += 0.1 * sin(force);
      }
    for (long i = 0; i < n; ++i) {
      for (int c = 0; c < 3; ++c)
        b[i].at[c] += 0.1 * b[i].speed[c];
      b[i].kind ^= 1;
    }
  }
  for (long i = 0; i < n; ++i)
    for (int c = 0; c < 3; ++c)
      energy += b[i].at[c] * b[i].speed[c] * (1 + b[i].kind);
  free(b);
  return energy;
}

typedef struct {
  int first;
  float colour[4];
  unsigned flags;
  double weight;
} Pixel;

static double pixels(const double *x, long n) {
  Pixel *p = malloc((n + 1) * sizeof *p), *q = malloc((n + 1) * sizeof *q);
  double sum = 0;
  for (long i = 0; i < n; ++i) {
    p[i].first = (int)(i % 3);
    for (int c = 3; c >= 0; --c)
      p[i].colour[c] = (float)x[7 * i + c];
    p[i].flags = 1u << (i % 4);
    p[i].weight = x[7 * i + 5] * x[7 * i + 6];
  }
  for (long i = 0; i < n; ++i) {
    q[i] = p[n - 1 - i];
    for (int c = 0; c < 4; c += 1)
      q[i].colour[c] *= p[i].colour[3 - c];
    q[i].flags |= 2;
  }
  for (int c = 0; c < 4; ++c)
    for (long i = 0; i < n; ++i)
      if (q[i].flags & 6)
        sum += q[i].colour[c] * q[i].weight * (1 + q[i].first);
  free(p);
  free(q);
  return sum;
}

// The same, of one structure: its last coordinate is chosen by the loop's end.
static double one(const double *x, long n) {
  struct {
    double at[3];
    long count;
    double total;
  } s = {{0}, 0, 0};
  for (long i = 0; i < n; ++i)
    for (int c = 0; c < 3; ++c) {
      s.at[c] = s.at[c] * 0.5 + x[7 * i + c] * x[7 * i + 6];
      s.count += s.at[c] > 0;
      s.total += s.at[c] * s.count;
    }
  for (int c = 0; c != 3; ++c)
    s.total += exp(s.at[c]);
  return s.total;
}

// Where a number stands is stored in the structure that the number finds.
typedef struct {
  long tag;
  double row[6];
} Tagged;
static double tags(const double *x, long n) {
  Tagged b[2];
  double sum = 0;
  for (long i = 0; i < 2; ++i) {
    b[i].tag = i;
    b[i].row[5] = x[i];
  }
  for (long i = 0; i < 2; ++i) {
    signed char c = 1;
    b[i].row[0] = x[i + n];
#pragma clang loop unroll(disable)
    do
      b[i].row[c] = b[i].row[c - 1] * x[i];
    while (c++ < 4);
    sum += (i + 1) * b[i].row[5] * b[i].row[4];
  }
  return sum;
}

static double (*functions[])(const double *, long) = {bodies, pixels, one,
                                                      tags};
static int which;
static double value(double *x) { return functions[which](x, N); }

int main(void) {
  double x[X], dx[4][X] = {{0}};
  for (int i = 0; i < X; ++i)
    x[i] = 0.3 + 0.07 * ((i * 13) % 17);
  __verso_grad_void(bodies, verso_dup, x, dx[0], (long)N);
  __verso_grad_void(pixels, verso_dup, x, dx[1], (long)N);
  __verso_grad_void(one, verso_dup, x, dx[2], (long)N);
  __verso_grad_void(tags, verso_dup, x, dx[3], (long)N);
  for (which = 0; which < 4; ++which)
    CHECK_GRADIENT(value, X, x, dx[which], which == 1 ? 2e-3 : 1e-7);
  return check_status();
}
