//===- check.h - how an end-to-end program checks itself ----- -*- C++ -*--===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by the programs below test/exec, in C and in C++. It declares the
// markers and the entry points that most of them use, without Verso's own
// header, as any program may, and offers checks that count failures and print
// what was got and what was expected. A program ends with `return
// check_status();`.
//
// Tolerances are relative to max(1, |expected|). A program that compares with a
// closed form asks for 1e-12 or so; one that compares with differences asks for
// what Richardson's extrapolation gives, 1e-7.
//
// CHECK_NO_API, defined before the inclusion, leaves the declarations of the
// entry points out.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TEST_EXEC_CHECK_H
#define VERSO_TEST_EXEC_CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CHECK_NO_API
#ifdef __cplusplus
extern "C" {
#endif
extern int verso_const, verso_dup, verso_out, verso_dupnoneed;
double __verso_grad(void *, ...);
float __verso_grad_float(void *, ...);
void __verso_grad_void(void *, ...);
void __verso_vjp_void(void *, ...);
#ifdef __cplusplus
}
#endif
#endif

/// For primals that the optimiser must not fold at the call of a check.
#define CHECK_NOINLINE __attribute__((noinline))
#define CHECK_UNUSED __attribute__((unused))

static int check_failures;

/// The program's exit code.
CHECK_UNUSED static int check_status(void) { return check_failures != 0; }

CHECK_UNUSED static void check_close(const char *what, const char *file,
                                     int line, double got, double expected,
                                     double tolerance) {
  double scale = fabs(expected) > 1 ? fabs(expected) : 1;
  // Written so that a NaN fails.
  if (got == expected || fabs(got - expected) <= tolerance * scale)
    return;
  ++check_failures;
  fprintf(stderr, "%s:%d: %s is %.17g, expected %.17g (tolerance %g)\n", file,
          line, what, got, expected, tolerance);
}

CHECK_UNUSED static void check_true(const char *what, const char *file,
                                    int line, int holds) {
  if (holds)
    return;
  ++check_failures;
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
}

#define CHECK_CLOSE(got, expected, tolerance)                                  \
  check_close(#got, __FILE__, __LINE__, (double)(got), (double)(expected),     \
              tolerance)
#define CHECK_EQUAL(got, expected) CHECK_CLOSE(got, expected, 0)
#define CHECK(condition) check_true(#condition, __FILE__, __LINE__, condition)

/// f'(x) by central differences at three steps and Richardson's extrapolation:
/// the error is O(step^6) and rounding stays near 1e-12.
CHECK_UNUSED static double check_extrapolate(double near, double middle,
                                             double far) {
  double a = (4 * near - middle) / 3, b = (4 * middle - far) / 3;
  return (16 * a - b) / 15;
}

CHECK_UNUSED static double central_difference(double (*f)(double), double x) {
  double step = 1e-3 * (fabs(x) > 1 ? fabs(x) : 1), slope[3];
  for (int i = 0; i < 3; ++i, step *= 2)
    slope[i] = (f(x + step) - f(x - step)) / (2 * step);
  return check_extrapolate(slope[0], slope[1], slope[2]);
}

/// The i-th partial derivative of f at x, which has n elements. f may overwrite
/// its argument.
CHECK_UNUSED static double partial_difference(double (*f)(double *), int n,
                                              const double *x, int i) {
  double *copy = (double *)malloc((size_t)n * sizeof(double));
  double step = 1e-3 * (fabs(x[i]) > 1 ? fabs(x[i]) : 1), slope[3];
  for (int k = 0; k < 3; ++k, step *= 2) {
    memcpy(copy, x, (size_t)n * sizeof(double));
    copy[i] = x[i] + step;
    double above = f(copy);
    memcpy(copy, x, (size_t)n * sizeof(double));
    copy[i] = x[i] - step;
    slope[k] = (above - f(copy)) / (2 * step);
  }
  free(copy);
  return check_extrapolate(slope[0], slope[1], slope[2]);
}

CHECK_UNUSED static void check_gradient(const char *what, const char *file,
                                        int line, double (*f)(double *), int n,
                                        const double *x, const double *gradient,
                                        double tolerance) {
  for (int i = 0; i < n; ++i) {
    char name[128];
    snprintf(name, sizeof name, "%s[%d]", what, i);
    check_close(name, file, line, gradient[i], partial_difference(f, n, x, i),
                tolerance);
  }
}

/// Compares the gradient of f at x with differences. f takes the n inputs as an
/// array and returns the value.
#define CHECK_GRADIENT(f, n, x, gradient, tolerance)                           \
  check_gradient(#gradient, __FILE__, __LINE__, f, n, x, gradient, tolerance)

#endif // VERSO_TEST_EXEC_CHECK_H
