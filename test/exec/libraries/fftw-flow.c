//===- fftw-flow.c - plans and arrays in the flow of a program ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIRES: fftw
// LIBS: -lfftw3
//
// Each function is written once and compiled twice, with FFTW and with sums:
// little of the input varies, arrays are written again, in loops and branches,
// one of several plans is chosen, plans are in arrays and structures.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <fftw3.h>

double __verso_jvp(void *, ...);

enum { n = 4 };

static void dft(const double *a, double *b, int sign) {
  double t[2 * n];
  for (int k = 0; k < n; ++k) {
    t[2 * k] = t[2 * k + 1] = 0;
    for (int j = 0; j < n; ++j) {
      double c = cos(2 * M_PI * j * k / n),
             s = sign * sin(2 * M_PI * j * k / n);
      t[2 * k] += c * a[2 * j] - s * a[2 * j + 1];
      t[2 * k + 1] += c * a[2 * j + 1] + s * a[2 * j];
    }
  }
  for (int k = 0; k < 2 * n; ++k)
    b[k] = t[k];
}
#define DEF(NAME, ...)                                                         \
  static double NAME##_f(const double *x) {                                    \
    const int sums = 0;                                                        \
    __VA_ARGS__                                                                \
  }                                                                            \
  static double NAME##_s(const double *x) {                                    \
    const int sums = 1;                                                        \
    __VA_ARGS__                                                                \
  }
#define PLAN(p, a, b, s)                                                       \
  fftw_plan p = sums ? 0                                                       \
                     : fftw_plan_dft_1d(n, (fftw_complex *)(a),                \
                                        (fftw_complex *)(b), s, FFTW_ESTIMATE)
#define RUN(p, a, b, s)                                                        \
  do {                                                                         \
    if (sums)                                                                  \
      dft(a, b, s);                                                            \
    else                                                                       \
      fftw_execute(p);                                                         \
  } while (0)
#define END(p)                                                                 \
  do {                                                                         \
    if (!sums)                                                                 \
      fftw_destroy_plan(p);                                                    \
  } while (0)
DEF(one, {
  double a[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  double b[8];
  PLAN(p, a, b, -1);
  a[0] = x[0];
  RUN(p, a, b, -1);
  END(p);
  return b[3] * b[3] + b[6] * x[1];
})
DEF(twice, {
  double a[8];
  double b[8];
  PLAN(p, a, b, -1);
  for (int k = 0; k < 8; ++k)
    a[k] = x[k];
  RUN(p, a, b, -1);
  double s = b[2] * b[5];
  a[1] = b[3] * x[2];
  a[5] = 0;
  RUN(p, a, b, -1);
  END(p);
  return s + b[1] * b[1] + b[4];
})
DEF(loop, {
  double a[8];
  PLAN(p, a, a, -1);
  PLAN(q, a, a, 1);
  for (int k = 0; k < 8; ++k)
    a[k] = x[k];
  for (int t = 0; t < 4; ++t) {
    RUN(p, a, a, -1);
    for (int k = 0; k < 8; ++k)
      a[k] = sin(a[k]) + 0.1 * x[k];
    if (t & 1)
      RUN(q, a, a, 1);
  }
  END(p);
  END(q);
  double s = 0;
  for (int k = 0; k < 8; ++k)
    s += a[k] * (k + 1) * a[k];
  return s;
})
DEF(branch, {
  double a[8];
  double b[8] = {0};
  PLAN(p, a, b, -1);
  for (int k = 0; k < 8; ++k)
    a[k] = x[k] * x[k];
  if (x[0] > 0.1)
    RUN(p, a, b, -1);
  else
    b[0] = x[3];
  END(p);
  return b[0] * b[0] + b[1] * b[3];
})
DEF(choice, {
  double a[8];
  double b[8];
  PLAN(p, a, b, -1);
  PLAN(q, a, b, 1);
  for (int k = 0; k < 8; ++k)
    a[k] = x[k];
  double s = 0;
  for (int t = 0; t < 3; ++t) {
    fftw_plan r = t == 1 ? q : p;
    RUN(r, a, b, t == 1 ? 1 : -1);
    for (int k = 0; k < 8; ++k)
      a[k] = 0.1 * b[k] * b[7 - k] + cos(b[k]) + x[7 - k];
  }
  s = a[0] + a[3] * a[5];
  END(p);
  END(q);
  return s;
})
DEF(arrays, {
  double a[8];
  double b[8];
  fftw_plan ps[2];
  {
    PLAN(p, a, b, -1);
    PLAN(q, b, a, 1);
    ps[0] = p;
    ps[1] = q;
  }
  for (int k = 0; k < 8; ++k)
    a[k] = x[k];
  for (int t = 0; t < 4; ++t) {
    RUN(ps[t & 1], t & 1 ? b : a, t & 1 ? a : b, t & 1 ? 1 : -1);
    for (int k = 0; k < 8; ++k) {
      if (t & 1)
        a[k] = cos(a[k]);
      else
        b[k] = b[k] * x[k];
    }
  }
  END(ps[0]);
  END(ps[1]);
  return a[0] * a[1] + b[4] * b[4];
})
DEF(heap, {
  double *a = fftw_malloc(64);
  double *b = a;
  for (int k = 0; k < 8; ++k)
    a[k] = x[k];
  for (int t = 0; t < 3; ++t) {
    double *c = fftw_malloc(64);
    PLAN(p, b, c, -1);
    RUN(p, b, c, -1);
    END(p);
    fftw_free(b);
    b = c;
    for (int k = 0; k < 8; ++k)
      b[k] *= 0.3 * b[k];
  }
  double s = b[0] + b[1] * b[2];
  fftw_free(b);
  return s;
})
static double partial_out[8];
DEF(global, {
  static double a[8];
  PLAN(p, a, partial_out, -1);
  for (int k = 0; k < 4; ++k)
    a[k] = x[k];
  for (int k = 4; k < 8; ++k)
    a[k] = k;
  RUN(p, a, partial_out, -1);
  END(p);
  double s = partial_out[1] * partial_out[2];
  for (int k = 0; k < 8; ++k)
    partial_out[k] = 0;
  return s;
})
struct w {
  double a[8];
  int tag;
  double b[8];
  fftw_plan p;
  float f;
};
DEF(mixed, {
  struct w *w = malloc(sizeof *w);
  w->tag = 3;
  w->f = 2;
  {
    PLAN(p, w->a, w->b, -1);
    w->p = p;
  }
  memcpy(w->a, x, 64);
  RUN(w->p, w->a, w->b, -1);
  END(w->p);
  double s = w->b[w->tag] * w->b[5] * w->f;
  free(w);
  return s;
})
#define GO(NAME)                                                               \
  do {                                                                         \
    double g[8] = {0}, h[8] = {0};                                             \
    CHECK_CLOSE(NAME##_f(x), NAME##_s(x), 1e-10);                              \
    __verso_grad((void *)NAME##_f, verso_dup, x, g);                           \
    __verso_grad((void *)NAME##_s, verso_dup, x, h);                           \
    double d = 0;                                                              \
    for (int k = 0; k < 8; ++k) {                                              \
      CHECK_CLOSE(g[k], h[k], 1e-10);                                          \
      d += h[k] * v[k];                                                        \
    }                                                                          \
    CHECK_CLOSE(__verso_jvp((void *)NAME##_f, verso_dup, x, v), d, 1e-10);     \
  } while (0)
int main(void) {
  double x[8], v[8];
  for (int k = 0; k < 8; ++k) {
    x[k] = 0.3 + 0.4 * sin(k * 1.9);
    v[k] = cos(k);
  }
  GO(one);
  GO(twice);
  GO(loop);
  GO(branch);
  GO(choice);
  GO(arrays);
  GO(heap);
  GO(global);
  GO(mixed);
  return check_status();
}
