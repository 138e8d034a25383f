//===- directions.h - runs the loops of a file of directions.py -*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every loop is run twelve times: six times on arrays that lie apart, then on
// such that overlap, each time with 20 iterations or fewer. Numbers are small
// integers, so that results do not depend on the order of operations; what has
// grown beyond that is printed as such. A line for each run:
//
//   <loop> <run> <hash of all memory and of what the loop returned> | large
//
//===----------------------------------------------------------------------===//

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verso/verso.h>

float __verso_jvp_float(void *, ...);

#define OWN __attribute__((noinline))
#define JVP_double __verso_jvp
#define JVP_float __verso_jvp_float

enum { Room = 3000, Own = 700 };
static double arena_double[Room], g_double[Own], out[32], calls;
static float arena_float[Room], g_float[Own];
static int arena_int[600];

static unsigned state;
OWN static int below(int n) {
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 10) % (unsigned)n);
}

OWN static void start(unsigned seed) {
  state = seed;
  for (int i = 0; i < Room; ++i) {
    arena_double[i] = below(5) - 2;
    arena_float[i] = below(5) - 2;
  }
  for (int i = 0; i < 600; ++i)
    arena_int[i] = below(6);
  for (int i = 0; i < Own; ++i) {
    g_double[i] = below(5) - 2;
    g_float[i] = below(5) - 2;
  }
  for (int i = 0; i < 32; ++i)
    out[i] = below(3);
  calls = 1;
  errno = 0;
}

static unsigned long long hash;
static double largest;
static void mix(double x) {
  union {
    double number;
    unsigned long long bits;
  } v = {x + 0.0};
  if (x != x)
    v.bits = 7;
  hash = (hash ^ v.bits) * 1099511628211ull;
  hash ^= hash >> 29;
  largest = fabs(x) <= largest ? largest : x != x ? INFINITY : fabs(x);
}

OWN static void report(int loop, int run, double returned) {
  hash = 14695981039346656037ull;
  largest = 0;
  mix(returned);
  // Numbers in float are whole to 2^24.
  for (int i = 0; i < Room; ++i) {
    mix(arena_double[i]);
    mix(arena_float[i] * (1 << 20));
  }
  for (int i = 0; i < 600; ++i)
    mix(arena_int[i]);
  for (int i = 0; i < Own; ++i) {
    mix(g_double[i]);
    mix(g_float[i] * (1 << 20));
  }
  for (int i = 0; i < 32; ++i)
    mix(out[i]);
  mix(calls);
  mix(errno);
  if (largest > 1e13)
    printf("%d %d large\n", loop, run);
  else
    printf("%d %d %016llx\n", loop, run, hash);
}

#define RUN(T)                                                                 \
  OWN static void run_##T(                                                     \
      double (*loop)(T *, T *, T *, T *, T *, T *, int *, int *, int, int),    \
      int number) {                                                            \
    static const int Overlaps[] = {0, 0, 0, 0, 0, 0, 1, 4, 20, 60, 150, 20};   \
    for (int r = 0; r < 12; ++r) {                                             \
      start(number * 1000 + r * 77 + SEED);                                    \
      int n = 3 + below(3), m = r % 3 ? below(21) : 20 - r / 3;                \
      int within = Overlaps[r], *index[2];                                     \
      T *p[6];                                                                 \
      for (int k = 0; k < 6; ++k)                                              \
        p[k] = arena_##T + (within ? 400 + below(within) : 250 + 350 * k);     \
      for (int k = 0; k < 2; ++k)                                              \
        index[k] = arena_int + (within ? 100 + below(within) : 60 + 120 * k);  \
      report(                                                                  \
          number, r,                                                           \
          loop(p[0], p[1], p[2], p[3], p[4], p[5], index[0], index[1], n, m)); \
    }                                                                          \
  }
RUN(double)
RUN(float)
