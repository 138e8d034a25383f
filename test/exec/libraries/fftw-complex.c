//===- fftw-complex.c - derivatives of FFTW's complex transforms ----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIRES: fftw
// LIBS: -lfftw3 -lfftw3f
//
// Transforms by fftw_execute and fftw_execute_dft, of plans that are made in
// the differentiated function and elsewhere, in place and not, are compared
// with sums that are differentiated as any code is: value, gradient, tangent.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <fftw3.h>

double __verso_value_and_grad(void *, ...);
double __verso_jvp(void *, ...);

enum { n = 12 };

// A function of the spectrum that is not linear, so that adjoints vary.
static double measure(const double *y, int count) {
  double sum = 0;
  for (int k = 0; k < count; ++k)
    sum += sin(0.3 * k + 0.2 * y[k]) * y[k];
  return sum;
}

static double by_sums(const double *x, int sign) {
  double y[2 * n];
  for (int k = 0; k < n; ++k) {
    double re = 0, im = 0;
    for (int j = 0; j < n; ++j) {
      double c = cos(2 * M_PI * j * k / n),
             s = sign * sin(2 * M_PI * j * k / n);
      re += c * x[2 * j] - s * x[2 * j + 1];
      im += c * x[2 * j + 1] + s * x[2 * j];
    }
    y[2 * k] = re;
    y[2 * k + 1] = im;
  }
  return measure(y, 2 * n);
}
static double sums_forward(const double *x) { return by_sums(x, -1); }
static double sums_backward(const double *x) { return by_sums(x, 1); }

// Planned within, of local arrays.
static double local_plan(const double *x) {
  fftw_complex *in = fftw_alloc_complex(n);
  fftw_complex *out = fftw_malloc(n * sizeof(fftw_complex));
  fftw_plan p = fftw_plan_dft_1d(n, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
  memcpy(in, x, n * sizeof *in);
  fftw_execute(p);
  double result = measure((double *)out, 2 * n);
  fftw_destroy_plan(p);
  fftw_free(out);
  fftw_free(in);
  return result;
}
static double local_plan_in_place(const double *x) {
  double a[2 * n];
  fftw_complex *both = (fftw_complex *)a;
  fftw_plan p = fftw_plan_dft_1d(n, both, both, FFTW_BACKWARD, FFTW_MEASURE);
  for (int k = 0; k < 2 * n; ++k)
    a[k] = x[k];
  fftw_execute(p);
  fftw_destroy_plan(p);
  return measure(a, 2 * n);
}

// Planned elsewhere.
static fftw_plan forward, in_place;
static fftw_complex *global_in, *global_out;

static double global_plan(const double *x) {
  for (int k = 0; k < 2 * n; ++k)
    global_in[0][k] = x[k];
  fftw_execute(forward);
  return measure((double *)global_out, 2 * n);
}
static double new_arrays(const double *x) {
  double y[2 * n];
  fftw_execute_dft(forward, (fftw_complex *)x, (fftw_complex *)y);
  return measure(y, 2 * n);
}
static double new_arrays_in_place(const double *x) {
  double y[2 * n];
  memcpy(y, x, sizeof y);
  fftw_execute_dft(in_place, (fftw_complex *)y, (fftw_complex *)y);
  return measure(y, 2 * n);
}

// Kept in a structure.
struct solver {
  fftw_plan plan;
  fftw_complex *in, *out;
};
CHECK_NOINLINE static struct solver *make(void) {
  struct solver *s = malloc(sizeof *s);
  s->in = fftw_malloc(n * sizeof(fftw_complex));
  s->out = fftw_malloc(n * sizeof(fftw_complex));
  s->plan = fftw_plan_dft_1d(n, s->in, s->out, FFTW_FORWARD, FFTW_ESTIMATE);
  return s;
}
CHECK_NOINLINE static void unmake(struct solver *s) {
  fftw_destroy_plan(s->plan);
  fftw_free(s->in);
  fftw_free(s->out);
  free(s);
}
static double kept_plan(const double *x) {
  struct solver *s = make();
  memcpy(s->in, x, n * sizeof(fftw_complex));
  fftw_execute(s->plan);
  double result = measure((double *)s->out, 2 * n);
  unmake(s);
  return result;
}

static void compare(const char *name, double (*f)(const double *), double value,
                    const double *gradient, const double *got, double got_value,
                    double tangent, const double *v) {
  (void)f;
  check_close(name, __FILE__, __LINE__, got_value, value, 1e-12);
  double expected = 0;
  for (int k = 0; k < 2 * n; ++k) {
    check_close(name, __FILE__, __LINE__, got[k], gradient[k], 1e-11);
    expected += gradient[k] * v[k];
  }
  check_close(name, __FILE__, __LINE__, tangent, expected, 1e-11);
}

#define COMPARE(F, SUMS)                                                       \
  do {                                                                         \
    double x[2 * n], v[2 * n], bars[2 * n] = {0}, expected[2 * n] = {0};       \
    for (int k = 0; k < 2 * n; ++k) {                                          \
      x[k] = sin(1.3 * k + 0.1);                                               \
      v[k] = cos(0.7 * k);                                                     \
    }                                                                          \
    double value = __verso_value_and_grad((void *)SUMS, x, expected);          \
    double got = __verso_value_and_grad((void *)F, x, bars);                   \
    double tangent = __verso_jvp((void *)F, x, v);                             \
    compare(#F, F, value, expected, bars, got, tangent, v);                    \
  } while (0)

int main(void) {
  global_in = fftw_alloc_complex(n);
  global_out = fftw_alloc_complex(n);
  forward =
      fftw_plan_dft_1d(n, global_in, global_out, FFTW_FORWARD, FFTW_MEASURE);
  in_place = fftw_plan_dft_1d(n, global_in, global_in, FFTW_BACKWARD,
                              FFTW_ESTIMATE | FFTW_UNALIGNED);
  COMPARE(local_plan, sums_forward);
  COMPARE(local_plan_in_place, sums_backward);
  COMPARE(global_plan, sums_forward);
  COMPARE(new_arrays, sums_forward);
  COMPARE(new_arrays_in_place, sums_backward);
  COMPARE(kept_plan, sums_forward);
  fftw_destroy_plan(forward);
  fftw_destroy_plan(in_place);
  fftw_cleanup();
  COMPARE(local_plan, sums_forward);
  return check_status();
}
