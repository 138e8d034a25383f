//===- overlapping-arguments.c - arguments that may overlap, and do -------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels without `restrict`, of which the reversed code has two versions: for
// arguments that are disjoint and for any. Every kernel runs with its arrays
// apart, adjacent, one element into each other, and on top of each other.
//
//===----------------------------------------------------------------------===//

#include "check.h"

enum { N = 5, SIZE = 160 };

typedef double kernel(const double *a, const double *b, double *c, int n);

static double weighed(const double *c, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += c[i] * c[i] * (i + 1);
  return s;
}

CHECK_NOINLINE static double product(const double *a, const double *b,
                                     double *c, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double t = 0;
      for (int k = 0; k < n; ++k)
        t += a[i * n + k] * b[k * n + j];
      c[i * n + j] = 0.1 * t;
    }
  return weighed(c, n * n);
}

/// Rows of growing length, one array read backwards.
CHECK_NOINLINE static double triangle(const double *a, const double *b,
                                      double *c, int n) {
  for (int i = 0; i < n * n; ++i) {
    c[i] = 0;
    for (int j = 0; j <= i; ++j)
      c[i] += 0.1 * a[j] * b[i - j];
  }
  return weighed(c, n * n);
}

/// Both ends move.
CHECK_NOINLINE static double walk(const double *a, const double *b, double *c,
                                  int n) {
  const double *end = a + n * n, *last = b + n * n;
  while (a != end)
    *c++ = *a++ * *--last;
  return weighed(c - n * n, n * n);
}

CHECK_NOINLINE static double copied(const double *a, const double *b, double *c,
                                    int n) {
  memmove(c, a, n * sizeof *c);
  for (unsigned i = 0; i < (unsigned)n; ++i)
    for (unsigned j = i; j < (unsigned)n; j += 2)
      c[i + n * j] = a[j] * b[(i * j) & 15] * c[i];
  return weighed(c, n * n);
}

/// Not entered at all where n is 4 and below.
CHECK_NOINLINE static double strided(const double *a, const double *b,
                                     double *c, int n) {
  for (long i = n - 5; i >= 0; --i)
    for (long j = 0; j < n; ++j)
      c[(2 * i + 1) * j] = a[3 * i + j] * b[i * n] + c[j];
  return weighed(c, n);
}

/// What a level of butterflies reads and writes depends on three loops at once,
/// and where the order of bits leads to on no loop that can be counted.
CHECK_NOINLINE static double butterflies(const double *a, const double *b,
                                         double *c, int n) {
  size_t m = (size_t)1 << n;
  for (size_t i = 0, reversed = 0; i != m; ++i) {
    c[reversed] = a[i];
    size_t bit = m / 2;
    for (; reversed & bit; bit /= 2)
      reversed ^= bit;
    reversed |= bit;
  }
  for (size_t half = 1; half < m; half *= 2)
    for (size_t start = 0; start != m; start += 2 * half)
      for (size_t k = 0; k != half; ++k) {
        double x = c[start + k], y = c[start + k + half] * b[half + k];
        c[start + k] = x + y;
        c[start + k + half] = x - 0.5 * y;
      }
  return weighed(c, (int)m);
}

/// Steps that do not come to the end do not end; these do, and end early.
CHECK_NOINLINE static double stepping(const double *a, const double *b,
                                      double *c, int n) {
  for (size_t step = 1; step < (size_t)n; step += step + 1)
    for (size_t i = 0; i != 6 * step; i += 2 * step) {
      if (i > 3 * step && b[i] > 0.605)
        break;
      c[i + step] = a[i] * b[i + step] + 0.1 * c[i];
    }
  return weighed(c, 4 * n);
}

static void check(kernel *volatile f, const double *dot, int b, int c, int n) {
  double memory[SIZE];
  for (int i = 0; i < SIZE; ++i) {
    double d[2];
    for (int k = 0; k < 2; ++k) {
      double y[2], h = 1e-3 / (k + 1);
      for (int side = 0; side < 2; ++side) {
        for (int j = 0; j < SIZE; ++j)
          memory[j] = 0.5 + 0.01 * ((j * 7) % 31);
        memory[i] += side ? h : -h;
        y[side] = f(memory, memory + b, memory + c, n);
      }
      d[k] = (y[1] - y[0]) / (2 * h);
    }
    CHECK_CLOSE(dot[i], (4 * d[1] - d[0]) / 3, 1e-7);
  }
}

#define RUN(f, b, c, n)                                                        \
  do {                                                                         \
    double x[SIZE], dot[SIZE] = {0};                                           \
    for (int i = 0; i < SIZE; ++i)                                             \
      x[i] = 0.5 + 0.01 * ((i * 7) % 31);                                      \
    __verso_grad_void((void *)f, verso_dup, x, dot, verso_dup, x + (b),        \
                      dot + (b), verso_dup, x + (c), dot + (c), verso_const,   \
                      n);                                                      \
    check(f, dot, b, c, n);                                                    \
  } while (0)

CHECK_NOINLINE static double products(const double *a, const double *b,
                                      double *c, int n) {
  for (int i = 0; i < n; ++i)
    c[i] = a[i] * b[i];
  return 0;
}

/// Of what is only read, two shadows may be one: its adjoints are one sum.
static void check_shadows(void) {
  enum { M = 100 };
  static double a[M], b[M], c[M], of_c[M], both[M];
  for (int i = 0; i < M; ++i) {
    a[i] = 3;
    b[i] = 1;
    of_c[i] = i + 1;
  }
  double *volatile same = both;
  __verso_grad_void((void *)products, verso_dup, a, both, verso_dup, b, same,
                    verso_dup, c, of_c, verso_const, M);
  for (int i = 0; i < M; ++i) {
    CHECK_EQUAL(both[i], 4 * (i + 1));
    CHECK_EQUAL(of_c[i], 0);
  }
}

int main(void) {
  check_shadows();
  static const int places[][2] = {{50, 100}, {25, 50}, {24, 48}, {50, 0},
                                  {50, 1},   {1, 2},   {0, 0},   {100, 76},
                                  {99, 10},  {0, 60}};
  for (int k = 0; k < (int)(sizeof places / sizeof *places); ++k)
    for (int n = 0; n <= N; n += k % 2 + 1) {
      int b = places[k][0], c = places[k][1];
      RUN(product, b, c, n);
      RUN(triangle, b, c, n);
      RUN(walk, b, c, n);
      RUN(copied, b, c, n);
      RUN(strided, b, c, n);
      RUN(butterflies, b, c, n);
      RUN(stepping, b, c, n);
    }
  return check_status();
}
