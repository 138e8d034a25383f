//===- fftw-plans.c - plans that nothing is known of ----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan that was made elsewhere, or that is of arrays with a shadow, is an
// error when it is executed, and no zero in silence. A program that plans and
// has no runtime is not harmed, nor is one that plans once more where a plan
// was destroyed.
//
//===----------------------------------------------------------------------===//

// REQUIRES: fftw
// RUN: %clang_verso -O1 %s -o %t %verso_libs -lfftw3
// RUN: sh -c '%t made; test $? -eq 86' 2>&1 | FileCheck %s --check-prefix=MADE
// RUN: sh -c '%t argument; test $? -eq 86' 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: sh -c '%t begin; test $? -eq 86' 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: sh -c '%t part; test $? -eq 86' 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: sh -c '%t member; test $? -eq 86' 2>&1 | FileCheck %s --check-prefix=MEMBER
// RUN: sh -c '%t own; test $? -eq 86' 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: sh -c '%t other; test $? -eq 86' 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: sh -c '%t kind; test $? -eq 86' 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: %t again
// RUN: %clang_verso -O1 -DNO_REQUEST %s -o %t.plain -lfftw3 -lm
// RUN: %t.plain
// RUN: %clang_verso -O0 %s -o %t.0 %verso_libs -lfftw3
// RUN: sh -c '%t.0 own; test $? -eq 86' 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: sh -c '%t.0 part; test $? -eq 86' 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: sh -c '%t.0 member; test $? -eq 86' 2>&1 | FileCheck %s --check-prefix=MEMBER
// RUN: sh -c '%t.0 argument; test $? -eq 86' 2>&1 | FileCheck %s --check-prefix=ARGUMENT

// MADE: verso: error: in 'copied': a plan of FFTW is executed in differentiated code, and nothing is known of it
// ARGUMENT: verso: error: {{.*}}in 'of_argument': a plan of FFTW that was made before the request reads or writes memory that an argument with a shadow leads to{{.*}}hand the arrays to fftw_execute_dft(plan
// MEMBER: verso: error: in 'of_numbers': a plan of FFTW that was made before the request reads or writes memory that an argument with a shadow leads to
// OWN: verso: error: in 'of_holder': a plan of FFTW that was made before the request, or without being differentiated, lies in memory that has a shadow, and the shadow has no plan of its own (none, or the same one)
// OTHER: verso: error: in 'of_holder': {{.*}}what lies in the shadow is no plan of the same transform
// KIND: verso: error: in 'of_kind': {{.*}}it is of another kind than the call

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef NO_REQUEST
double __verso_grad(void *, ...);
#endif

enum { n = 8 };
static fftw_plan plan;
static double in[2 * n], out[2 * n];

typedef fftw_plan made(int, fftw_complex *, fftw_complex *, int, unsigned);

double copied(const double *x) {
  memcpy(in, x, sizeof in);
  fftw_execute(plan);
  return out[0] * out[0];
}
double of_argument(const double *x) {
  fftw_execute(plan);
  return out[0] * out[0] + x[1];
}
double of_kind(const double *x) {
  double y[2 * n];
  fftw_execute_r2r(plan, (double *)x, y);
  return y[0];
}

struct holder {
  double *in;
  fftw_plan plan;
};
double of_holder(struct holder *h) {
  fftw_execute(h->plan);
  return out[0] * out[0];
}

struct numbers {
  int count;
  double *in;
};
double of_numbers(struct numbers *x) {
  fftw_execute(plan);
  return out[0] * x->count;
}
#ifndef NO_REQUEST
__attribute__((noinline)) static void gradient(const double *x, double *bars) {
  __verso_grad((void *)of_argument, x, bars);
}
#endif

int main(int argc, char **argv) {
  double x[2 * n], bars[2 * n] = {0};
  double *more = calloc(3 * n, sizeof *more), *of = calloc(3 * n, sizeof *of);
  for (int k = 0; k < 2 * n; ++k)
    x[k] = k + 1;
  const char *what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "made"))
    plan = ((made *)dlsym(RTLD_DEFAULT, "fftw_plan_dft_1d"))(
        n, (fftw_complex *)in, (fftw_complex *)out, -1, FFTW_ESTIMATE);
  else if (!strcmp(what, "argument"))
    plan = fftw_plan_dft_1d(n, (fftw_complex *)x, (fftw_complex *)out, -1,
                            FFTW_ESTIMATE);
  else if (!strcmp(what, "part") || !strcmp(what, "member"))
    plan = fftw_plan_dft_1d(n, (fftw_complex *)(more + (*what == 'p' ? n : 0)),
                            (fftw_complex *)out, -1, FFTW_ESTIMATE);
  else
    plan = fftw_plan_dft_1d(n, (fftw_complex *)in, (fftw_complex *)out, -1,
                            FFTW_MEASURE);
  double value = 0;
#ifdef NO_REQUEST
  value = copied(x) + bars[0];
#else
  if (!strcmp(what, "argument"))
    __verso_grad((void *)of_argument, x, bars);
  else if (!strcmp(what, "part"))
    gradient(more, of);
  else if (!strcmp(what, "member")) {
    struct numbers of_more = {n, more}, of_bars = {n, of};
    __verso_grad((void *)of_numbers, &of_more, &of_bars);
  } else if (!strcmp(what, "begin"))
    // The argument begins within the plan's array.
    __verso_grad((void *)of_argument, in + 2, bars);
  else if (!strcmp(what, "own") || !strcmp(what, "other")) {
    fftw_plan smaller =
        fftw_plan_dft_1d(n / 2, (fftw_complex *)bars, (fftw_complex *)out, -1,
                         FFTW_ESTIMATE);
    struct holder h = {in, plan}, dh = {bars, *what == 'o' && what[1] == 'w'
                                                  ? plan
                                                  : smaller};
    __verso_grad((void *)of_holder, &h, &dh);
  }
  else if (!strcmp(what, "kind"))
    __verso_grad((void *)of_kind, x, bars);
  else
    __verso_grad((void *)copied, x, bars);
  if (!strcmp(what, "again"))
    for (int k = 0; k < 3; ++k) {
      fftw_destroy_plan(plan);
      plan = fftw_plan_dft_1d(n - k, (fftw_complex *)in, (fftw_complex *)out, -1,
                              FFTW_ESTIMATE);
      memset(bars, 0, sizeof bars);
      __verso_grad((void *)copied, x, bars);
      double sum = 0;
      for (int j = 0; j < n - k; ++j)
        sum += x[2 * j];
      if (fabs(bars[0] - 2 * sum) > 1e-9 ||
          fabs(bars[2 * (n - k) - 2] - 2 * sum) > 1e-9)
        return 1;
    }
#endif
  fftw_destroy_plan(plan);
  fftw_cleanup();
  free(more);
  free(of);
  return value < 0;
}
