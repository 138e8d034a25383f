//===- second.h - second and third derivatives by every order ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HESSIAN(f), of a double f(const double *x, int n), makes check_f(): products
// of the Hessian with a vector by forward over reverse, reverse over forward and
// reverse over reverse are the same vector h, and forward over forward gives
// <v, h>; along one direction the third derivative is the same by forward over
// each of them. Twice, since the first request of a place leaves memory behind.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TEST_EXEC_HIGHER_SECOND_H
#define VERSO_TEST_EXEC_HIGHER_SECOND_H

#include "../forward/forward.h"

enum { MOST = 64 };

#define HESSIAN(F)                                                             \
  static void F##_gradient(const double *x, double *g, int n) {                \
    for (int i = 0; i < n; ++i)                                                \
      g[i] = 0;                                                                \
    __verso_grad_void(F, verso_dup, x, g, verso_const, n);                     \
  }                                                                            \
  static double F##_slope(const double *x, const double *v, int n) {           \
    return __verso_jvp(F, verso_dup, x, v, verso_const, n);                    \
  }                                                                            \
  static double F##_dot(const double *x, const double *v, int n) {             \
    double g[MOST], sum = 0;                                                   \
    F##_gradient(x, g, n);                                                     \
    for (int i = 0; i < n; ++i)                                                \
      sum += g[i] * v[i];                                                      \
    return sum;                                                                \
  }                                                                            \
  static void F##_product(const double *x, const double *v, double *h,         \
                          int n) {                                             \
    double g[MOST];                                                            \
    __verso_jvp_void(F##_gradient, verso_dup, x, v, verso_dup, g, h,           \
                     verso_const, n);                                          \
  }                                                                            \
  static double F##_second(const double *x, const double *v, int n) {          \
    return __verso_jvp(F##_slope, verso_dup, x, v, verso_const, v,             \
                       verso_const, n);                                        \
  }                                                                            \
  static double F##_second_r(const double *x, const double *v, int n) {        \
    double h[MOST], sum = 0;                                                   \
    F##_product(x, v, h, n);                                                   \
    for (int i = 0; i < n; ++i)                                                \
      sum += h[i] * v[i];                                                      \
    return sum;                                                                \
  }                                                                            \
  static void check_once_##F(int n, unsigned seed, double low, double high,    \
                             double tolerance) {                               \
    double x[MOST], v[MOST], fr[MOST], rf[MOST], rr[MOST], size = 0;           \
    fill_direction(x, n, seed);                                                \
    fill_direction(v, n, seed + 1);                                            \
    for (int i = 0; i < n; ++i) {                                              \
      x[i] = low + (high - low) * (fabs(x[i]) - 0.25) / 1.5;                   \
      fr[i] = rf[i] = rr[i] = 0;                                               \
    }                                                                          \
    F##_product(x, v, fr, n);                                                  \
    __verso_grad_void(F##_slope, verso_dup, x, rf, verso_const, v,             \
                      verso_const, n);                                         \
    __verso_grad_void(F##_dot, verso_dup, x, rr, verso_const, v, verso_const,  \
                      n);                                                      \
    for (int i = 0; i < n; ++i)                                                \
      size += fabs(rr[i]);                                                     \
    CHECK(size > 0);                                                           \
    for (int i = 0; i < n; ++i) {                                              \
      CHECK_CLOSE(fr[i] / size, rr[i] / size, tolerance);                      \
      CHECK_CLOSE(rf[i] / size, rr[i] / size, tolerance);                      \
    }                                                                          \
    CHECK_CLOSE(F##_second(x, v, n) / size, dot_product(fr, v, n) / size,      \
                tolerance);                                                    \
    double third = __verso_jvp(F##_second, verso_dup, x, v, verso_const, v,    \
                               verso_const, n);                                \
    double third_r = __verso_jvp(F##_second_r, verso_dup, x, v, verso_const,   \
                                 v, verso_const, n);                           \
    CHECK_CLOSE(third_r / (size + fabs(third)), third / (size + fabs(third)),  \
                100 * tolerance);                                              \
  }                                                                            \
  static void check_##F(int n, unsigned seed, double low, double high,         \
                        double tolerance) {                                    \
    check_once_##F(n, seed, low, high, tolerance);                             \
    check_once_##F(n, seed + 7, low, high, tolerance);                         \
    if (check_failures)                                                        \
      fprintf(stderr, "... of %s\n", #F);                                      \
  }

#endif // VERSO_TEST_EXEC_HIGHER_SECOND_H
