//===- undone-stores.cpp - stores that the verso takes back ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few stores that may overwrite what many loads read, apart, adjacent, one
// element into each other, and on top of each other. Derivatives are compared
// with differences; memory has to be what the program leaves there.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <stdexcept>
#include <thread>
#include <utility>

enum { N = 6, SIZE = 96 };

static double weighed(const double *c, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += c[i] * c[i] * (i + 1);
  return s;
}

/// Sparse products between two buffers.
CHECK_NOINLINE static double chain(const double *a, double *b, double *c,
                                   int *index, int n) {
  for (int step = 0; step < 3; ++step) {
    for (int i = 0; i < n; ++i) {
      double sum = 0.1;
      for (int k = 0; k < n; ++k)
        sum += 0.2 * a[i * n + k] * b[index[i * n + k]];
      c[i] = sum;
    }
    std::swap(b, c);
  }
  return weighed(b, n);
}

/// The columns change from step to step.
CHECK_NOINLINE static double permuted(const double *a, double *b, double *c,
                                      int *index, int n) {
  double sum = 0;
  for (int step = 0; step < 3; ++step)
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < n; ++k)
        sum += a[k] * a[k] * b[index[k]] * b[index[k]];
      index[i] = (index[i] + step) % n;
    }
  return sum + weighed(c, n);
}

/// What is stored lies between a load and its use, and is read back.
CHECK_NOINLINE static double between(const double *a, double *b, double *c,
                                     int *index, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double x = b[i], y = a[index[i]];
    for (int k = 0; k < n; ++k)
      sum += x * a[k] * a[k] * b[index[k]] * b[k];
    c[i] = 0.3 * x * y;
    sum += x * x * y * b[i] * c[i];
    for (int k = 0; k < n; ++k)
      sum += x * y * y * b[index[k]] * a[k];
  }
  return sum;
}

/// In one branch only, and not in all iterations.
CHECK_NOINLINE static double sometimes(const double *a, double *b, double *c,
                                       int *index, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k)
      sum += a[k] * b[index[k]] * b[index[k]];
    if (sum > 2)
      c[index[i]] = 0.2 * sum;
    else if (i % 2)
      b[i] = 0.1 + a[i];
    if (i == 4 && a[0] > 0.4)
      return sum + c[1];
    for (int k = i; k < n; ++k)
      sum += 0.1 * a[k] * b[k] * c[k];
  }
  return sum;
}

/// Behind the loops, and in front of them.
CHECK_NOINLINE static double once(const double *a, double *b, double *c,
                                  int *index, int n) {
  if (n < 3)
    return 0;
  c[1] = a[2] * b[1];
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k)
      sum += a[k] * a[k] * b[index[k]] * b[i] * c[i];
  b[2] = 0.1 * sum;
  c[0] = b[2] * a[1];
  return sum * c[0] + b[2];
}

/// Of two sizes.
CHECK_NOINLINE static double sizes(const double *a, double *b, double *c,
                                   int *index, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k)
      sum += a[k] * a[k] * b[index[k]] * b[k];
    index[i] = i;
    c[i] = 0.1 * a[i] * b[index[i]];
  }
  return sum;
}

/// Blocks that are gone when the verso runs: nothing is written there.
CHECK_NOINLINE static double released(const double *a, double *b, double *c,
                                      int *index, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double *block = (double *)malloc(n * sizeof *block);
    for (int k = 0; k < n; ++k)
      block[k] = a[k] * b[index[k]];
    for (int j = 0; j < 2; ++j) {
      for (int k = 0; k < n; ++k)
        sum += block[k] * block[index[k]] * a[k];
      block[j] = a[i] * sum;
    }
    c[i] = 0.05 * block[0];
    free(block);
  }
  return sum;
}

/// A local array: nobody sees what it held in the end.
CHECK_NOINLINE static double local(const double *a, double *b, double *c,
                                   int *index, int n) {
  double x[N + 1] = {0.5, 0.25, 0.125}, sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k)
      sum += a[k] * x[index[k]] * x[k] * b[k];
    x[index[i]] = 0.1 * sum + b[i];
    c[i] = x[i];
  }
  return sum;
}

static double tame(double x) { return 0.5 * sin(x); }

/// A recurrence over a block: few stores, many loads.
static double states(double *block, const double *a, const double *b,
                     const int *index, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k)
    block[k] = 0.1 * b[k];
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k)
      sum += a[k] * block[k] * block[index[k]] * block[k];
    block[index[i]] = tame(sum + a[i]);
    for (int k = 0; k < n; ++k)
      sum += a[k] * block[k] * block[k] * block[index[k]];
  }
  return sum;
}

/// In memory of the function's own, which is gone with the request; and in
/// memory that is seen after it.
CHECK_NOINLINE static double own(const double *a, double *b, double *c,
                                 int *index, int n) {
  double *block = (double *)malloc((n + 1) * sizeof *block);
  double sum = states(block, a, b, index, n);
  if (n)
    c[0] += block[0];
  free(block);
  return sum;
}

static double *Seen;

CHECK_NOINLINE static double seen(const double *a, double *b, double *c,
                                  int *index, int n) {
  Seen = (double *)malloc((n + 1) * sizeof *Seen);
  return states(Seen, a, b, index, n);
}

/// Loops that store at equal distances: back, by two, in rows that may be
/// empty, and where nothing tells how often.
CHECK_NOINLINE static double distances(const double *a, double *b, double *c,
                                       int *index, int n) {
  double sum = 0;
  for (int step = 0; step < 2; ++step) {
    for (int i = n - 1; i >= 0; --i) {
      double x = 0.1;
      for (int k = 0; k < n; ++k)
        x += a[k] * b[index[k]] * b[index[k]];
      c[i] = tame(x);
      sum += x;
    }
    for (int i = 0; i < n; ++i)
      for (int j = step; j < i; ++j) {
        double x = 0.2;
        for (int k = 0; k < n; ++k)
          x += a[k] * b[index[k]] * c[k] * c[index[k]];
        b[2 * j + i] = tame(x);
        sum += x;
      }
  }
  return sum;
}

CHECK_NOINLINE static double uncounted(const double *a, double *b, double *c,
                                       int *index, int n) {
  double sum = 0;
  int i = 0;
  do {
    double x = 0;
    for (int k = 0; k < n; ++k)
      x += a[k] * b[index[k]] * b[index[k]] * 0.2;
    sum += x;
    c[i++] = tame(x);
  } while (i < n && sum < 0.5 * n);
  return sum + weighed(b, n) + weighed(c, n);
}

/// Two stores of an iteration into one array: apart, and one into the other's
/// next place; and a row that is stored within an iteration that stores.
CHECK_NOINLINE static double pairs(const double *a, double *b, double *c,
                                   int *index, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double x = 0;
    for (int k = 0; k < n; ++k)
      x += a[k] * b[index[k]] * b[index[k]] * c[k];
    c[2 * i] = tame(x);
    c[2 * i + 1] = tame(2 * x);
    sum += x;
  }
  return sum + weighed(b, n) + weighed(c, 2 * n);
}

CHECK_NOINLINE static double neighbours(const double *a, double *b, double *c,
                                        int *index, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double x = 0;
    for (int k = 0; k < n; ++k)
      x += a[k] * b[index[k]] * b[index[k]] * c[k];
    b[i] = tame(x);
    b[i + 1] = tame(2 * x) + 0.1 * a[i];
    sum += x;
  }
  return sum + weighed(b, n) + weighed(c, 2 * n);
}

CHECK_NOINLINE static double nested(const double *a, double *b, double *c,
                                    int *index, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double x = 0;
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k)
        x += 0.1 * a[k] * b[index[k]] * b[index[k]] * c[k];
      b[j] = tame(x);
    }
    c[i] = tame(x);
    sum += x;
  }
  return sum + weighed(b, n) + weighed(c, 2 * n);
}

/// Its place is kept as a distance, as in a relative pointer.
static ptrdiff_t Distance;

CHECK_NOINLINE static double apart(const double *a, double *b, double *c,
                                   int *index, int n) {
  double *block = (double *)malloc((n + 1) * sizeof *block);
  Distance = (char *)block - (char *)&Distance;
  return states(block, a, b, index, n);
}

typedef double kernel(const double *a, double *b, double *c, int *index, int n);

static void fill(double *x, int *index, int n) {
  for (int i = 0; i < SIZE; ++i)
    x[i] = 0.5 + 0.01 * ((i * 7) % 31),
    index[i] = (i * 5 + i / 3) % (n ? n : 1);
}

static void check(kernel *f, int b, int c, int n, const double *dot,
                  const double *left, const int *leftIndex) {
  double memory[SIZE];
  int index[SIZE];
  for (int i = 0; i < SIZE; ++i) {
    double d[2];
    for (int k = 0; k < 2; ++k) {
      double y[2], h = 1e-3 / (k + 1);
      for (int side = 0; side < 2; ++side) {
        fill(memory, index, n);
        memory[i] += side ? h : -h;
        y[side] = f(memory, memory + b, memory + c, index, n);
      }
      d[k] = (y[1] - y[0]) / (2 * h);
    }
    CHECK_CLOSE(dot[i], (4 * d[1] - d[0]) / 3, 1e-7);
  }
  fill(memory, index, n);
  f(memory, memory + b, memory + c, index, n);
  for (int i = 0; i < SIZE; ++i) {
    CHECK_CLOSE(left[i], memory[i], 1e-14);
    CHECK(leftIndex[i] == index[i]);
  }
}

template <kernel *F> static void run(int b, int c, int n) {
  double x[SIZE], dot[SIZE] = {0};
  int index[SIZE];
  fill(x, index, n);
  __verso_grad_void((void *)F, verso_dup, x, dot, verso_dup, x + b, dot + b,
                    verso_dup, x + c, dot + c, verso_const, index, verso_const,
                    n);
  check(F, b, c, n, dot, x, index);
}

//===----------------------------------------------------------------------===//
// Ways out
//===----------------------------------------------------------------------===//

CHECK_NOINLINE static double throwing(const double *a, double *b, double *c,
                                      int *index, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < n; ++k)
      sum += a[k] * a[k] * b[index[k]] * b[index[k]];
    if (sum > 5)
      throw std::runtime_error("too much");
    c[i] = 0.1 * sum;
  }
  return sum;
}

static void checkThrown(void) {
  for (int n = 2; n <= N; n += N - 2) {
    double x[SIZE], y[SIZE], dot[SIZE] = {0};
    int index[SIZE], thrown[2] = {0, 0};
    fill(x, index, n);
    fill(y, index, n);
    try {
      __verso_grad_void((void *)throwing, verso_dup, x, dot, verso_dup, x + 8,
                        dot + 8, verso_dup, x + 6, dot + 6, verso_const, index,
                        verso_const, n);
    } catch (const std::runtime_error &) {
      thrown[0] = 1;
    }
    try {
      throwing(y, y + 8, y + 6, index, n);
    } catch (const std::runtime_error &) {
      thrown[1] = 1;
    }
    CHECK(thrown[0] == thrown[1] && thrown[0] == (n == N));
    for (int i = 0; i < SIZE; ++i)
      CHECK_CLOSE(x[i], y[i], 1e-14);
  }
  run<throwing>(20, 40, 2);
}

/// Constant data is in memory that cannot be written.
static const double Table[N * N] = {
    0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2,
    0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2,
    0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2};

static void checkConstants(void) {
  double x[SIZE], y[SIZE], dot[SIZE] = {0};
  int index[SIZE];
  fill(x, index, N);
  fill(y, index, N);
  __verso_grad_void((void *)chain, verso_const, Table, verso_dup, x, dot,
                    verso_dup, x + N, dot + N, verso_const, index, verso_const,
                    N);
  chain(Table, y, y + N, index, N);
  for (int i = 0; i < SIZE; ++i)
    CHECK_CLOSE(x[i], y[i], 1e-14);
}

template <kernel *F> static void checkSeen(void) {
  double x[SIZE], dot[SIZE] = {0}, after[N];
  int index[SIZE];
  auto block = [] {
    return F == seen ? Seen : (double *)((char *)&Distance + Distance);
  };
  run<F>(36, 48, N);
  fill(x, index, N);
  __verso_grad_void((void *)F, verso_dup, x, dot, verso_dup, x + 36, dot + 36,
                    verso_const, x, verso_const, index, verso_const, N);
  memcpy(after, block(), sizeof after);
  F(x, x + 36, x, index, N);
  for (int i = 0; i < N; ++i)
    CHECK_CLOSE(after[i], block()[i], 1e-14);
}

/// Threads with memory of their own, neighbours in one array.
static void checkThreads(void) {
  static double x[4][SIZE], dot[4][SIZE];
  static int index[4][SIZE];
  std::thread threads[4];
  for (int t = 0; t < 4; ++t)
    threads[t] = std::thread([t] {
      for (int again = 0; again < 50; ++again) {
        fill(x[t], index[t], N);
        memset(dot[t], 0, sizeof dot[t]);
        __verso_grad_void((void *)chain, verso_dup, x[t], dot[t], verso_dup,
                          x[t] + 36, dot[t] + 36, verso_dup, x[t] + 40,
                          dot[t] + 40, verso_const, index[t], verso_const, N);
      }
    });
  for (int t = 0; t < 4; ++t)
    threads[t].join();
  for (int t = 0; t < 4; ++t)
    check(chain, 36, 40, N, dot[t], x[t], index[t]);
}

int main(void) {
  static const int places[][2] = {{36, 48}, {30, 36}, {36, 37}, {40, 36},
                                  {36, 36}, {0, 36},  {1, 2},   {0, 0},
                                  {10, 3},  {60, 10}, {7, 70}};
  for (int k = 0; k < (int)(sizeof places / sizeof *places); ++k)
    for (int n = 0; n <= N; n += k % 2 + 2) {
      int b = places[k][0], c = places[k][1];
      run<chain>(b, c, n);
      run<permuted>(b, c, n);
      run<between>(b, c, n);
      run<sometimes>(b, c, n);
      run<once>(b, c, n);
      run<sizes>(b, c, n);
      run<released>(b, c, n);
      run<local>(b, c, n);
      run<own>(b, c, n);
      run<distances>(b, c, n);
      run<uncounted>(b, c, n);
      run<pairs>(b, c, n);
      run<neighbours>(b, c, n);
      run<nested>(b, c, n);
    }
  checkThrown();
  checkConstants();
  checkSeen<seen>();
  checkSeen<apart>();
  checkThreads();
  return check_status();
}
