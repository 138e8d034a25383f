//===- flexible-arrays.c - counts before numbers --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A count, and as many numbers behind it. What is copied there comes to lie
// behind the count, wherever numbers may be in what it was copied from.
//
//===----------------------------------------------------------------------===//

// STRATEGY: structured
// LEVELS: O1 O2g O3

#include "../forward/forward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int n;
  double v[];
} Parameters;

typedef void (*Rhs)(double t, const double *y, double *f, const Parameters *p);
static void decay(double t, const double *y, double *f, const Parameters *p) {
  f[0] = -p->v[0] * y[0] * t;
  f[1] = p->v[1] * y[1];
}
static void coupled(double t, const double *y, double *f, const Parameters *p) {
  f[1] = t;
  for (int i = 0; i < p->n; ++i)
    f[i % 2] += 0.1 * p->v[i] * y[(i + 1) % 2];
}
static const struct {
  int dimension;
  Rhs rhs;
} problems[] = {{2, decay}, {2, coupled}};

static double integrated(const double *x, int n) {
  Parameters *p = malloc(sizeof *p + (unsigned)n * sizeof *p->v);
  p->n = n;
  memcpy(p->v, x, (unsigned)n * sizeof *x);
  double s = 0;
  for (int k = 0; k < 2; ++k) {
    const int m = problems[k].dimension;
    double *y = calloc((unsigned)m, sizeof *y),
           *f = calloc((unsigned)m, sizeof *f);
    y[0] = x[n - 1], y[1] = 2;
    for (int i = 0; i < 10; ++i) {
      problems[k].rhs(0.1 * i, y, f, p);
      for (int j = 0; j < m; ++j)
        y[j] += 0.1 * f[j];
    }
    s += y[0] * y[1];
    free(y);
    free(f);
  }
  free(p);
  return s;
}

/// The last number comes first, and what is behind it is read in turn.
static double turned(const double *x, int n) {
  Parameters *p = malloc(sizeof *p + (unsigned)n * sizeof *p->v);
  double *work = malloc((unsigned)n * sizeof *work);
  p->n = n - 1;
  p->v[0] = x[n - 1];
  memcpy(p->v + 1, x, (unsigned)(n - 1) * sizeof *x);
  double s = 0;
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < p->n; ++i)
      work[i] = sin(p->v[i]) * p->v[(i + 1) % n];
    memcpy(p->v + 1, work, (unsigned)(n - 1) * sizeof *work);
    p->n -= k % 2;
    s += p->v[p->n] * p->v[0];
  }
  free(work);
  free(p);
  return s;
}

int main(void) {
  double x[8] = {0.3, 0.5, -0.2, 0.8, 1.1, 0.9, -0.7, 0.4};
  volatile int most = 8, less = 5;
  CHECK_ALONG(integrated, x, most, 1e-13, 1e-8);
  CHECK_ALONG(turned, x, most, 1e-13, 1e-8);
  CHECK_ALONG(turned, x, less, 1e-13, 1e-8);
  return check_status();
}
