//===- width-in-loops.c - several directions in loops that vectorise
//-------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where most of a function is loops over arrays that the vectoriser takes, the
// tangents of several directions are numbers beside each other and no vectors:
// of the user's arrays, of local ones and of blocks of the heap, small and
// large (whose siblings are longer than they are), with choices, roots of zero,
// what was read an iteration before, and loops of other kinds between. Each
// direction is what a request of its own gives.
//
// Sanitizers leave too few windows for eight directions inside others.
// REQUIRES: unsanitized
//===----------------------------------------------------------------------===//

#include "forward.h"
#include <stdlib.h>
#include <string.h>

struct three {
  double d[3];
};
struct four {
  float d[4];
};
struct eight {
  double d[8];
};
struct three __verso_jvp_three(void *, ...);
struct four __verso_jvp_four(void *, ...);
struct eight __verso_jvp_eight(void *, ...);

enum { N = 1024, Odd = 37 };

static void products(const double *x, const double *w, double *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * w[i] + (x[i] > 0.5 ? x[i] * x[i] : sqrt(w[i]));
}

/// Two fields that are written in turn.
#define DIFFUSION(NAME, SIZE, TAKE, RELEASE)                                   \
  static double NAME(const double *k, int steps) {                             \
    TAKE;                                                                      \
    for (int i = 0; i < SIZE; ++i)                                             \
      u[i] = k[i & 3] * i * 0.001;                                             \
    for (int s = 0; s < steps; ++s) {                                          \
      for (int i = 1; i < SIZE - 1; ++i)                                       \
        v[i] = u[i] + k[0] * (u[i - 1] - 2 * u[i] + u[i + 1]) * u[i];          \
      v[0] = v[SIZE - 1] = 0;                                                  \
      for (int i = 1; i < SIZE - 1; ++i)                                       \
        u[i] = v[i] + k[1] * (v[i - 1] - 2 * v[i] + v[i + 1]) / (1 + v[i]);    \
      u[0] = u[SIZE - 1] = k[2];                                               \
    }                                                                          \
    double sum = 0;                                                            \
    for (int i = 0; i < SIZE; ++i)                                             \
      sum += u[i] * u[i];                                                      \
    RELEASE;                                                                   \
    return sum;                                                                \
  }
DIFFUSION(on_stack, N, double u[N]; double v[N], )
DIFFUSION(on_small_stack, Odd, double u[Odd]; double v[Odd], )
DIFFUSION(in_heap, N, double *u = malloc(N * sizeof(double));
          double *v = malloc(N * sizeof(double)), free(u); free(v))
DIFFUSION(in_small_heap, Odd, double *u = malloc(Odd * sizeof(double));
          double *v = calloc(Odd, sizeof(double)), free(u); free(v))

/// A copy, and sums that follow each other.
static double running(const double *x, int n) {
  double y[N], last = 1;
  memcpy(y, x, n * sizeof *x);
  for (int i = 0; i < n; ++i)
    y[i] = fmax(y[i] * x[0], x[n - 1 - i] * y[i] * y[i]) - fabs(y[i]);
  for (int i = 0; i < n; ++i)
    y[i] += 3 * x[i] * x[i] * x[i];
  for (int i = 0; i < n; ++i)
    last = 0.5 * last + y[i];
  return last;
}

static float narrow(const float *x, float *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i] * (1 + x[i]) - 2 * x[i];
  return y[n / 2] + y[0];
}

static double x[N], w[N], y[N], dx[8][N], dw[8][N], dy[8][N], one[N];

static void check_arrays(int n) {
  memset(dy, 0, sizeof dy);
  __verso_jvp_void(products, verso_width, 8, verso_dup, x, dx[0], dx[1], dx[2],
                   dx[3], dx[4], dx[5], dx[6], dx[7], verso_dup, w, dw[0],
                   dw[1], dw[2], dw[3], dw[4], dw[5], dw[6], dw[7], verso_dup,
                   y, dy[0], dy[1], dy[2], dy[3], dy[4], dy[5], dy[6], dy[7],
                   n);
  for (int k = 0; k < 8; ++k) {
    memset(one, 0, sizeof one);
    __verso_jvp_void(products, verso_dup, x, dx[k], verso_dup, w, dw[k],
                     verso_dup, y, one, n);
    for (int i = 0; i < N; ++i)
      CHECK_CLOSE(dy[k][i], one[i], 1e-14);
  }
}

#define CHECK_FIELDS(F)                                                        \
  do {                                                                         \
    struct eight all =                                                         \
        __verso_jvp_eight(F, verso_width, 8, verso_dup, k, d[0], d[1], d[2],   \
                          d[3], d[4], d[5], d[6], d[7], 6);                    \
    struct three some = __verso_jvp_three(F, verso_width, 3, verso_dup, k,     \
                                          d[5], d[6], d[7], 6);                \
    for (int i = 0; i < 8; ++i) {                                              \
      double alone = __verso_jvp(F, verso_dup, k, d[i], 6);                    \
      CHECK_CLOSE(all.d[i], alone, 1e-13);                                     \
      if (i >= 5)                                                              \
        CHECK_CLOSE(some.d[i - 5], alone, 1e-13);                              \
    }                                                                          \
  } while (0)

int main(void) {
  double k[4] = {0.1, 0.2, 0.3, 0.4}, d[8][4];
  fill_direction(d[0], 32, 7);
  fill_direction(x, N, 1);
  for (int i = 0; i < N; ++i)
    w[i] = i % 7;
  for (int j = 0; j < 8; ++j) {
    fill_direction(dx[j], N, 11 + j);
    fill_direction(dw[j], N, 31 + j);
    for (int i = 0; i < N; i += 7)
      dw[j][i] = 0; // The root of zero does not vary.
  }
  check_arrays(N);
  check_arrays(5);
  check_arrays(0);
  CHECK_FIELDS(on_stack);
  CHECK_FIELDS(on_small_stack);
  CHECK_FIELDS(in_heap);
  CHECK_FIELDS(in_small_heap);

  for (int i = 0; i < N; ++i)
    x[i] *= 0.1;
  struct eight all =
      __verso_jvp_eight(running, verso_width, 8, verso_dup, x, dx[0], dx[1],
                        dx[2], dx[3], dx[4], dx[5], dx[6], dx[7], 1000);
  for (int i = 0; i < 8; ++i)
    CHECK_CLOSE(all.d[i], __verso_jvp(running, verso_dup, x, dx[i], 1000),
                1e-13);

  float u[N], v[N], du[4][N], dv[4][N];
  for (int i = 0; i < N; ++i) {
    u[i] = 0.001f * i;
    for (int j = 0; j < 4; ++j)
      du[j][i] = 1 + i % (j + 2);
  }
  memset(dv, 0, sizeof dv);
  struct four narrows = __verso_jvp_four(narrow, verso_width, 4, verso_dup, u,
                                         du[0], du[1], du[2], du[3], verso_dup,
                                         v, dv[0], dv[1], dv[2], dv[3], N);
  for (int i = 0; i < 4; ++i)
    CHECK_CLOSE(
        narrows.d[i],
        __verso_jvp_float(narrow, verso_dup, u, du[i], verso_dup, v, dv[i], N),
        1e-5);
  return check_status();
}
