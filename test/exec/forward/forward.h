//===- forward.h - what the tests of forward mode share ----- -*- C++ -*--===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry points of forward mode, and the dot-product test: with u = J v from
// forward mode and g = J^T w from reverse mode, <u, w> = <v, g> to rounding. No
// step size is involved, so the tolerance is that of rounding alone.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_TEST_EXEC_FORWARD_FORWARD_H
#define VERSO_TEST_EXEC_FORWARD_FORWARD_H

#include "../check.h"

#ifdef __cplusplus
extern "C" {
#endif
extern int verso_width;
double __verso_jvp(void *, ...);
float __verso_jvp_float(void *, ...);
void __verso_jvp_void(void *, ...);
double __verso_vjp(void *, ...);
#ifdef __cplusplus
}
#endif

/// Directions and weights of which no two are alike and none is 0.
CHECK_UNUSED static void fill_direction(double *v, int n, unsigned seed) {
  unsigned state = seed * 2654435761u + 12345u;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    v[i] = (double)(state >> 8) / (1 << 24) * 1.5 + 0.25;
    if (state & 0x80)
      v[i] = -v[i];
  }
}

CHECK_UNUSED static double dot_product(const double *a, const double *b,
                                       int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

/// Relative to the larger of the two and of the terms that they are sums of.
CHECK_UNUSED static void check_transposed(const char *what, const char *file,
                                          int line, double forward,
                                          double reverse, double scale) {
  if (fabs(forward - reverse) <= 1e-12 * scale)
    return;
  ++check_failures;
  fprintf(stderr, "%s:%d: %s: <Jv,w> is %.17g, <v,J'w> is %.17g\n", file, line,
          what, forward, reverse);
}

CHECK_UNUSED static double dot_scale(const double *a, const double *b, int n) {
  double sum = 1e-30;
  for (int i = 0; i < n; ++i)
    sum += fabs(a[i] * b[i]);
  return sum;
}

/// For `void f(double *x, double *y)`, which reads n numbers (and may overwrite
/// them) and writes m. Neither what f computes nor the direction may change.
#define CHECK_TRANSPOSE(f, n, m, x)                                            \
  do {                                                                         \
    enum { n_ = (n), m_ = (m) };                                               \
    double x_[n_], v_[n_], d_[n_], g_[n_], y_[m_], z_[m_], u_[m_], w_[m_];     \
    double s_[m_];                                                             \
    memcpy(x_, x, sizeof x_);                                                  \
    memset(z_, 0, sizeof z_);                                                  \
    f(x_, z_);                                                                 \
    for (int round_ = 0; round_ < 3; ++round_) {                               \
      fill_direction(v_, n_, 2 * round_ + 1);                                  \
      fill_direction(w_, m_, 2 * round_ + 2);                                  \
      memcpy(x_, x, sizeof x_);                                                \
      memcpy(d_, v_, sizeof v_);                                               \
      memset(y_, 0, sizeof y_);                                                \
      memset(u_, 0, sizeof u_);                                                \
      __verso_jvp_void((void *)f, verso_dup, (double *)x_, (double *)d_,       \
                       verso_dup, (double *)y_, (double *)u_);                 \
      CHECK(!memcmp(y_, z_, sizeof y_));                                       \
      memcpy(x_, x, sizeof x_);                                                \
      memset(y_, 0, sizeof y_);                                                \
      memset(g_, 0, sizeof g_);                                                \
      memcpy(s_, w_, sizeof w_);                                               \
      __verso_vjp_void((void *)f, verso_dup, (double *)x_, (double *)g_,       \
                       verso_dup, (double *)y_, (double *)s_);                 \
      check_transposed(#f, __FILE__, __LINE__, dot_product(u_, w_, m_),        \
                       dot_product(v_, g_, n_),                                \
                       dot_scale(u_, w_, m_) + dot_scale(v_, g_, n_));         \
    }                                                                          \
  } while (0)

/// For `double f(double *x)`, which reads n numbers (and may overwrite them).
#define CHECK_TRANSPOSE_SCALAR(f, n, x)                                        \
  do {                                                                         \
    enum { n_ = (n) };                                                         \
    double x_[n_], v_[n_], d_[n_], g_[n_];                                     \
    for (int round_ = 0; round_ < 3; ++round_) {                               \
      fill_direction(v_, n_, 2 * round_ + 1);                                  \
      memcpy(x_, x, sizeof x_);                                                \
      memcpy(d_, v_, sizeof v_);                                               \
      double u_ =                                                              \
          __verso_jvp((void *)f, verso_dup, (double *)x_, (double *)d_);       \
      memcpy(x_, x, sizeof x_);                                                \
      memset(g_, 0, sizeof g_);                                                \
      __verso_grad_void((void *)f, verso_dup, (double *)x_, (double *)g_);     \
      check_transposed(#f, __FILE__, __LINE__, u_, dot_product(v_, g_, n_),    \
                       dot_scale(v_, g_, n_));                                 \
    }                                                                          \
  } while (0)

/// For `double f(const double *x, int n)`: reverse against forward mode, to
/// rounding, and against a central difference.
#define CHECK_ALONG(f, x, n, rounding, of_difference)                          \
  do {                                                                         \
    const int n_ = (n);                                                        \
    double v_[8], g_[8] = {0}, at_[8], h_ = 1e-6;                              \
    CHECK(n_ <= 8);                                                            \
    __verso_grad_void((void *)f, verso_dup, x, (double *)g_, verso_const, n_); \
    fill_direction(v_, n_, 7 + n_);                                            \
    double along_ = dot_product(g_, v_, n_);                                   \
    CHECK_CLOSE(                                                               \
        along_,                                                                \
        __verso_jvp((void *)f, verso_dup, x, (double *)v_, verso_const, n_),   \
        rounding);                                                             \
    for (int i_ = 0; i_ < n_; ++i_)                                            \
      at_[i_] = x[i_] + h_ * v_[i_];                                           \
    double ahead_ = f(at_, n_);                                                \
    for (int i_ = 0; i_ < n_; ++i_)                                            \
      at_[i_] = x[i_] - h_ * v_[i_];                                           \
    CHECK_CLOSE(along_, (ahead_ - f(at_, n_)) / (2 * h_), of_difference);      \
  } while (0)

#endif // VERSO_TEST_EXEC_FORWARD_FORWARD_H
