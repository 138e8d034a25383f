//===- fftw-work-arrays.c - a plan of arrays that have a shadow -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIRES: fftw
// LIBS: -lfftw3
// UNCHECKED: tangents have no place by address, so it is an error forwards
//
// A plan in a global variable, made before the request, of arrays that a
// structure with a shadow leads to. The request writes the input first, and the
// output has no seed: by tape no derivative is missing, and it is no error. In
// place and not, numbers and constants.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <fftw3.h>
#include <stdlib.h>

double __verso_grad(void *, ...);

enum { n = 8 };

struct arrays {
  double *x, *work;
  fftw_complex *spectrum;
};
static fftw_plan plan;

CHECK_NOINLINE static double energy(const struct arrays *a) {
  double sum = 0;
  for (int turn = 0; turn < 2; ++turn) {
    for (int i = 0; i < n; ++i)
      a->work[i] = i < n / 2 ? a->x[i] * a->x[i + n / 2] + turn * sum : 0;
    fftw_execute(plan);
    for (int k = 0; k <= n / 2; ++k)
      sum += 0.1 * (k + 1) * a->spectrum[k][0] * a->spectrum[k][0] +
             0.2 * a->spectrum[k][1];
  }
  return sum;
}

static struct arrays make(int in_place) {
  struct arrays a = {calloc(n, sizeof(double)), NULL,
                     calloc(n / 2 + 1, sizeof(fftw_complex))};
  a.work = in_place ? (double *)a.spectrum : calloc(n, sizeof(double));
  for (int i = 0; i < n; ++i)
    a.x[i] = 0;
  return a;
}
static void drop(struct arrays a) {
  free(a.x);
  if (a.work != (double *)a.spectrum)
    free(a.work);
  free(a.spectrum);
}

int main(void) {
  for (int in_place = 0; in_place < 2; ++in_place) {
    struct arrays a = make(in_place), d = make(in_place);
    plan = fftw_plan_dft_r2c_1d(n, a.work, a.spectrum, FFTW_ESTIMATE);
    for (int i = 0; i < n; ++i)
      a.x[i] = 0.2 + 0.1 * ((i * 5) % 7);
    __verso_grad((void *)energy, &a, &d);
    for (int i = 0; i < n; ++i) {
      const double at = a.x[i], h = 1e-5;
      a.x[i] = at + h;
      const double above = energy(&a);
      a.x[i] = at - h;
      const double slope = (above - energy(&a)) / (2 * h);
      a.x[i] = at;
      CHECK_CLOSE(d.x[i], slope, 1e-7);
    }
    fftw_destroy_plan(plan);
    drop(a);
    drop(d);
  }
  return check_status();
}
