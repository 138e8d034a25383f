//===- program.h - what a generated program starts from --------- -*- C -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included first by every generated program (program.py), which then defines
//
//   double f(double *x, double *y, FLT *w, T *t, double **m, N *l,
//            double a, int n)
//
// and includes oracle.h, which judges it. A program may define before:
//   SEED           the seed of its inputs
//   WIDTH          the directions of its forward request, 1 to 4
//   CONST_Y, CONST_W, CONST_M, CONST_L   that argument is verso_const
//   SECOND         second derivatives, too
//   LINEAR         __verso_linearize, too
//   MIXED          FLT is float; everything that the program defines is then
//                  named NAME(...), and compiled a second time, where FLT is
//                  double and names end in _ref, for the differences
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_FUZZ_PROGRAM_H
#define VERSO_FUZZ_PROGRAM_H

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SEED
#define SEED 1
#endif
#ifndef WIDTH
#define WIDTH 1
#endif

#define NOINLINE __attribute__((noinline))

/// Keeps numbers in (-1.6, 1.6), whatever a program computes.
static inline double squash(double v) { return v / (1 + 0.1 * v * v); }

#define NAME(X) X
#ifdef MIXED
#define FLT float
#define FSIN sinf
#define FEXP expf
#define FSQRT sqrtf
#else
#define FLT double
#define FSIN sin
#define FEXP exp
#define FSQRT sqrt
#endif

#else // The second pass of a MIXED program.
#undef NAME
#undef FLT
#undef FSIN
#undef FEXP
#undef FSQRT
#define NAME(X) X##_ref
#define FLT double
#define FSIN sin
#define FEXP exp
#define FSQRT sqrt
#endif

typedef struct NAME(T) {
  double v;
  FLT q;
  int n;
  double c[4];
  double *z; // 4 numbers.
} NAME(T);

typedef struct NAME(N) {
  double v;
  double *p; // 5 numbers.
  FLT q;
  int k;
  struct NAME(N) *next;
  double c[4];
} NAME(N);

typedef union NAME(U) {
  double d;
  FLT f[2];
  uint64_t i;
} NAME(U);

typedef struct NAME(Two) {
  double a, b;
} NAME(Two);

typedef struct NAME(Small) {
  FLT a, b, c;
} NAME(Small);
