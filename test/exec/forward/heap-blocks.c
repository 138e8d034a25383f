//===- heap-blocks.c - blocks of the heap that stay in a function ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block that only one function accesses has its tangents in a block of its
// own, which is zero and is released with it: buffers that are swapped, blocks
// that are perhaps not there, blocks in loops and recursion. Blocks whose
// address goes elsewhere are found by address, also where one release is of
// either kind, or one block is come to from another.
//
//
// Sanitizers leave too few windows for forward requests inside others.
// REQUIRES: unsanitized
//
//===----------------------------------------------------------------------===//

#include "forward.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

enum { N = 6 };

CHECK_NOINLINE static void swapped(double *x, double *y) {
  double *now = malloc(N * sizeof *now), *then = calloc(N, sizeof *then);
  memcpy(now, x, N * sizeof *now);
  for (int step = 0; step < 5; ++step) {
    for (int i = 0; i < N; ++i)
      then[i] = now[i] * now[(i + 1) % N] + 0.5 * then[(i + 2) % N];
    double *t = now;
    now = then;
    then = t;
  }
  for (int i = 0; i < N; ++i)
    y[i] = now[i] - then[i];
  free(now);
  free(then);
}

/// The second block is there if x[0] is positive.
CHECK_NOINLINE static void perhaps(double *x, double *y) {
  double *a = malloc(N * sizeof *a), *b = NULL;
  if (x[0] > 0)
    b = malloc(N * sizeof *b);
  for (int i = 0; i < N; ++i) {
    a[i] = sin(x[i]);
    if (b)
      b[i] = a[i] * x[i];
  }
  for (int i = 0; i < N; ++i)
    y[i] = b ? b[i] + a[i] : a[N - 1 - i];
  free(b);
  free(a);
}

/// New in each iteration. Nobody wrote the odd elements: what lay there before
/// has no tangent any more.
CHECK_NOINLINE static void in_loops(double *x, double *y) {
  for (int i = 0; i < N; ++i) {
    double *t = calloc(N, sizeof *t);
    for (int j = 0; j < N; j += 2)
      t[j] = x[i] * x[j];
    for (int j = 0; j < N; ++j) {
      y[i] += t[j] * (j + 1);
      t[j] = x[j];
    }
    free(t);
  }
}

/// Mergesort, of numbers in blocks of each activation.
CHECK_NOINLINE static void merge(double *x, int n) {
  if (n < 2)
    return;
  int h = n / 2;
  double *t = malloc(n * sizeof *t);
  memcpy(t, x, n * sizeof *t);
  merge(t, h);
  merge(t + h, n - h);
  for (int i = 0, a = 0, b = h; i < n; ++i)
    x[i] = b == n || (a < h && t[a] <= t[b]) ? t[a++] : t[b++];
  free(t);
}
CHECK_NOINLINE static void sorted(double *x, double *y) {
  double t[N];
  for (int i = 0; i < N; ++i)
    t[i] = x[i] * x[i];
  merge(t, N);
  for (int i = 0; i < N; ++i)
    y[i] = t[i] * (i + 1);
}

/// One release for a block that stays and one that comes out of memory.
static double *kept;
CHECK_NOINLINE static void mixed(double *x, double *y) {
  kept = malloc(N * sizeof *kept);
  double *mine = malloc(N * sizeof *mine);
  for (int i = 0; i < N; ++i) {
    mine[i] = x[i] * x[i];
    kept[i] = exp(x[i]);
  }
  for (int i = 0; i < N; ++i)
    y[i] = mine[i] * kept[i];
  double *first = x[1] > 0 ? mine : kept, *last = x[1] > 0 ? kept : mine;
  y[0] += first[2];
  free(first);
  y[1] += last[3];
  free(last);
}

/// The block begins behind a header.
CHECK_NOINLINE static void headed(double *x, double *y) {
  double *block = malloc((N + 2) * sizeof *block), *t = block + 2;
  block[0] = x[0];
  block[1] = 0;
  for (int i = 0; i < N; ++i)
    t[i] = x[i] * block[0];
  for (int i = 0; i < N; ++i)
    y[i] = t[i] * t[i];
  free(t - 2);
}

/// From one block to another; distances within one.
CHECK_NOINLINE static void distances(double *x, double *y) {
  double *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
  double *end = a;
  while (end != a + N) {
    *end = x[end - a] * 2;
    ++end;
  }
  for (int i = 0; i < N; ++i)
    b[i] = x[i] * x[i];
  // Nobody may know what this is.
  volatile intptr_t apart = (intptr_t)b - (intptr_t)a;
  double *there = (double *)((intptr_t)a + apart);
  for (int i = 0; i < end - a; ++i)
    y[i] = there[i] + a[end - a - 1 - i];
  free(a);
  free(b);
}

/// A block that is stored, one that grows, one with an alignment.
struct box {
  double *cells;
};
CHECK_NOINLINE static double look(const struct box *b, int i) {
  return b->cells[i];
}
CHECK_NOINLINE static void elsewhere(double *x, double *y) {
  struct box box = {malloc(N * sizeof(double))};
  double *grows = malloc(sizeof *grows);
  double *aligned = memalign(64, N * sizeof *aligned);
  for (int i = 0; i < N; ++i) {
    box.cells[i] = x[i] * x[0];
    grows = realloc(grows, (i + 1) * sizeof *grows);
    grows[i] = cos(x[i]);
    aligned[i] = x[i];
  }
  for (int i = 0; i < N; ++i)
    y[i] = look(&box, i) * grows[i] + aligned[N - 1 - i];
  free(box.cells);
  free(grows);
  free(aligned);
}

/// Given to a function that fills it.
CHECK_NOINLINE static void fill(double *to, const double *from, int n) {
  for (int i = 0; i < n; ++i)
    to[i] = from[i] * from[n - 1 - i];
}
CHECK_NOINLINE static double *identity(double *p) { return p; }
CHECK_NOINLINE static void passed(double *x, double *y) {
  double *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
  fill(a, x, N);
  fill(b, a, N);
  b = identity(b);
  memmove(a + 1, a, (N - 1) * sizeof *a);
  for (int i = 0; i < N; ++i)
    y[i] = a[i] - b[i];
  free(a);
  free(b);
}

/// Left there: nobody comes to it any more.
CHECK_NOINLINE static void lost(double *x, double *y) {
  double *a = malloc(N * sizeof *a);
  for (int i = 0; i < N; ++i)
    a[i] = x[i] * x[i];
  for (int i = 0; i < N; ++i)
    y[i] = a[i] * x[0];
  if (x[0] > 100)
    free(a);
}

struct four {
  double v[4];
};
struct four __verso_jvp_four(void *, ...);
CHECK_NOINLINE static double squares(const double *x, int n) {
  double *t = malloc(n * sizeof *t), s = 0;
  for (int i = 0; i < n; ++i)
    t[i] = x[i] * x[i];
  for (int i = 0; i < n; ++i)
    s += t[i] * t[(i + 1) % n];
  free(t);
  return s;
}
CHECK_NOINLINE static double along(const double *x, const double *v, int n) {
  return __verso_jvp(squares, verso_dup, x, v, n);
}

int main(void) {
  const double x[N] = {0.5, -1.25, 2, 0.75, -0.5, 1.5};
  const double z[N] = {-0.5, 1.25, -2, 0.75, 3, 1.5};
  CHECK_TRANSPOSE(swapped, N, N, x);
  CHECK_TRANSPOSE(perhaps, N, N, x);
  CHECK_TRANSPOSE(perhaps, N, N, z);
  CHECK_TRANSPOSE(in_loops, N, N, x);
  CHECK_TRANSPOSE(sorted, N, N, x);
  CHECK_TRANSPOSE(mixed, N, N, x);
  CHECK_TRANSPOSE(mixed, N, N, z);
  CHECK_TRANSPOSE(headed, N, N, x);
  CHECK_TRANSPOSE(elsewhere, N, N, x);
  CHECK_TRANSPOSE(passed, N, N, x);
  CHECK_TRANSPOSE(lost, N, N, x);
  double v[4][N], y[N], u[N];
  for (int k = 0; k < 4; ++k)
    fill_direction(v[k], N, k + 1);

  // Reverse mode may refuse such distances.
  memset(y, 0, sizeof y);
  memset(u, 0, sizeof u);
  double a[N], d[N];
  memcpy(a, x, sizeof x);
  memcpy(d, v[0], sizeof d);
  __verso_jvp_void(distances, verso_dup, (double *)a, (double *)d, verso_dup,
                   (double *)y, (double *)u);
  for (int i = 0; i < N; ++i)
    CHECK_CLOSE(u[i], 2 * x[i] * d[i] + 2 * d[N - 1 - i], 1e-13);

  // Several directions, one, and the second derivative.
  struct four all = __verso_jvp_four(squares, verso_width, 4, verso_dup, x,
                                     v[0], v[1], v[2], v[3], verso_const, N);
  for (int k = 0; k < 4; ++k) {
    double expected = 0;
    for (int i = 0; i < N; ++i) {
      int j = (i + 1) % N;
      expected += 2 * x[i] * x[j] * (v[k][i] * x[j] + x[i] * v[k][j]);
    }
    CHECK_CLOSE(all.v[k], expected, 1e-12);
    CHECK_CLOSE(along(x, v[k], N), expected, 1e-12);
  }
  double second = __verso_jvp(along, verso_dup, x, v[1], verso_const, v[0], N);
  double expected = 0;
  for (int i = 0; i < N; ++i) {
    int j = (i + 1) % N;
    expected += 2 * (v[1][i] * x[j] + x[i] * v[1][j]) *
                    (v[0][i] * x[j] + x[i] * v[0][j]) +
                2 * x[i] * x[j] * (v[0][i] * v[1][j] + v[1][i] * v[0][j]);
  }
  CHECK_CLOSE(second, expected, 1e-12);
  double g[N] = {0};
  __verso_grad_void(along, verso_dup, x, g, verso_const, v[0], N);
  CHECK_CLOSE(dot_product(g, v[1], N), expected, 1e-12);
  return check_status();
}
