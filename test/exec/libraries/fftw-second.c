//===- fftw-second.c - second derivatives through FFTW --------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIRES: fftw
// LIBS: -lfftw3 -lfftw3f
//
// A convolution by FFT with a nonlinear kernel, and a filter by cosines, are
// compared with sums: Hessian-vector products by all orders of the modes, maps
// that are kept, and tangents in several directions at once.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <fftw3.h>

void __verso_jvp_void(void *, ...);
double __verso_jvp(void *, ...);
extern int verso_width;
typedef struct verso_tape verso_tape;
verso_tape *__verso_linearize(void *, ...);
void verso_pullback(verso_tape *, const double *, double *);
void verso_pushforward(verso_tape *, const double *, double *);
void verso_tape_free(verso_tape *);

enum { n = 8, half = n / 2 + 1 };

static double measure(const double *y) {
  double sum = 0;
  for (int k = 0; k < n; ++k)
    sum += y[k] * y[k] * (1 + 0.1 * k) + sin(y[k]);
  return sum;
}

// sum over j of x[j] x[k - j]^2
static double convolved(const double *x) {
  double a[n], b[n], y[n];
  fftw_complex fa[half], fb[half];
  fftw_plan pa = fftw_plan_dft_r2c_1d(n, a, fa, FFTW_ESTIMATE);
  fftw_plan pb = fftw_plan_dft_r2c_1d(n, b, fb, FFTW_ESTIMATE);
  fftw_plan back = fftw_plan_dft_c2r_1d(n, fa, y, FFTW_ESTIMATE);
  for (int k = 0; k < n; ++k) {
    a[k] = x[k];
    b[k] = x[k] * x[k];
  }
  fftw_execute(pa);
  fftw_execute(pb);
  for (int k = 0; k < half; ++k) {
    double re = fa[k][0] * fb[k][0] - fa[k][1] * fb[k][1];
    double im = fa[k][0] * fb[k][1] + fa[k][1] * fb[k][0];
    fa[k][0] = re / n;
    fa[k][1] = im / n;
  }
  fftw_execute(back);
  fftw_destroy_plan(pa);
  fftw_destroy_plan(pb);
  fftw_destroy_plan(back);
  return measure(y);
}
static double convolved_by_sums(const double *x) {
  double y[n];
  for (int k = 0; k < n; ++k) {
    y[k] = 0;
    for (int j = 0; j < n; ++j)
      y[k] += x[j] * x[(k - j + n) % n] * x[(k - j + n) % n];
  }
  return measure(y);
}

// A filter by cosines, in place, of plans that were made before.
static fftw_plan to_cosines, from_cosines;
static double *work;

static double filtered(const double *x) {
  for (int k = 0; k < n; ++k)
    work[k] = x[k] * x[k];
  fftw_execute(to_cosines);
  for (int k = 0; k < n; ++k)
    work[k] *= 1 / (1.0 + k) + 0.1 * work[k] / n;
  fftw_execute(from_cosines);
  return measure(work);
}
static double filtered_by_sums(const double *x) {
  double z[n], y[n];
  for (int k = 0; k < n; ++k) {
    double sum = 0;
    for (int j = 0; j < n; ++j)
      sum += 2 * x[j] * x[j] * cos(M_PI * (j + 0.5) * k / n);
    z[k] = sum * (1 / (1.0 + k) + 0.1 * sum / n);
  }
  for (int k = 0; k < n; ++k) {
    y[k] = z[0];
    for (int j = 1; j < n; ++j)
      y[k] += 2 * z[j] * cos(M_PI * j * (k + 0.5) / n);
  }
  return measure(y);
}

#define DERIVATIVES(F)                                                         \
  static void gradient_of_##F(const double *x, double *g) {                    \
    __verso_grad((void *)F, x, g);                                             \
  }                                                                            \
  static double along_##F(const double *x, const double *v) {                  \
    double g[n] = {0}, sum = 0;                                                \
    __verso_grad((void *)F, x, g);                                             \
    for (int k = 0; k < n; ++k)                                                \
      sum += g[k] * v[k];                                                      \
    return sum;                                                                \
  }                                                                            \
  static double tangent_of_##F(const double *x, const double *v) {             \
    return __verso_jvp((void *)F, x, v);                                       \
  }

DERIVATIVES(convolved)
DERIVATIVES(convolved_by_sums)
DERIVATIVES(filtered)
DERIVATIVES(filtered_by_sums)

static void compare(const char *name, const double *got,
                    const double *expected) {
  for (int k = 0; k < n; ++k)
    check_close(name, __FILE__, __LINE__, got[k], expected[k], 1e-10);
}

#define COMPARE(F)                                                             \
  do {                                                                         \
    double x[n], v[2][n], g[n] = {0}, h[n] = {0};                              \
    for (int k = 0; k < n; ++k) {                                              \
      x[k] = 0.4 + 0.5 * sin(1.3 * k);                                         \
      v[0][k] = cos(0.7 * k);                                                  \
      v[1][k] = sin(0.9 * k + 1);                                              \
    }                                                                          \
    gradient_of_##F##_by_sums(x, g);                                           \
    __verso_grad((void *)along_##F##_by_sums, verso_dup, x, h, verso_const,    \
                 v[0]);                                                        \
    double got[n] = {0};                                                       \
    gradient_of_##F(x, got);                                                   \
    compare(#F ", gradient", got, g);                                          \
    double inner[n] = {0}, outer[n] = {0};                                     \
    __verso_jvp_void((void *)gradient_of_##F, verso_dup, x, v[0], verso_dup,   \
                     inner, outer);                                            \
    compare(#F ", forward over reverse", outer, h);                            \
    double twice[n] = {0};                                                     \
    __verso_grad((void *)along_##F, verso_dup, x, twice, verso_const, v[0]);   \
    compare(#F ", reverse over reverse", twice, h);                            \
    double over[n] = {0};                                                      \
    __verso_grad((void *)tangent_of_##F, verso_dup, x, over, verso_const,      \
                 v[0]);                                                        \
    compare(#F ", reverse over forward", over, h);                             \
    double one = 1, kept[n] = {0}, tangent = 0, of_v = 0;                      \
    verso_tape *tape = __verso_linearize((void *)F, x, kept);                  \
    verso_pullback(tape, &one, kept);                                          \
    compare(#F ", kept", kept, g);                                             \
    memcpy(kept, v[0], sizeof kept);                                           \
    verso_pushforward(tape, v[0], &tangent);                                   \
    verso_tape_free(tape);                                                     \
    for (int k = 0; k < n; ++k)                                                \
      of_v += g[k] * v[0][k];                                                  \
    CHECK_CLOSE(tangent, of_v, 1e-10);                                         \
    for (int d = 0; d < 2; ++d) {                                              \
      double expected = 0;                                                     \
      for (int k = 0; k < n; ++k)                                              \
        expected += g[k] * v[d][k];                                            \
      CHECK_CLOSE(tangent_of_##F(x, v[d]), expected, 1e-10);                   \
    }                                                                          \
  } while (0)

int main(void) {
  work = fftw_alloc_real(n);
  to_cosines = fftw_plan_r2r_1d(n, work, work, FFTW_REDFT10, FFTW_MEASURE);
  from_cosines = fftw_plan_r2r_1d(n, work, work, FFTW_REDFT01, FFTW_MEASURE);
  COMPARE(convolved);
  COMPARE(filtered);
  fftw_destroy_plan(to_cosines);
  fftw_destroy_plan(from_cosines);
  fftw_free(work);
  return check_status();
}
