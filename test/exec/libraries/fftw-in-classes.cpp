//===- fftw-in-classes.cpp - plans that lie beside their arrays -----------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIRES: fftw
// LIBS: -lfftw3
//
// An object with arrays and a plan, made before the request, and another one
// for its shadow: the shadows of the plan's arrays are the arrays of the
// shadow's plan. Gradient, seed and tangent in the object; an object to work in.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <complex>
#include <fftw3.h>
#include <vector>

double __verso_jvp(void *, ...);
void __verso_vjp_void(void *, ...);
extern int verso_const;

constexpr int N = 8;

struct Spectrum {
  std::vector<double> u;
  std::vector<std::complex<double>> h;
  fftw_plan plan;

  Spectrum() : u(N), h(N / 2 + 1) {
    plan = fftw_plan_dft_r2c_1d(
        N, u.data(), reinterpret_cast<fftw_complex *>(h.data()), FFTW_ESTIMATE);
  }
  ~Spectrum() { fftw_destroy_plan(plan); }
};

static double cubes(const Spectrum &s) {
  double sum = 0;
  for (const std::complex<double> &z : s.h)
    sum += norm(z) * z.real();
  return sum;
}

CHECK_NOINLINE static double inside(Spectrum &s) {
  fftw_execute(s.plan);
  return cubes(s);
}
CHECK_NOINLINE static double through(const double *x, Spectrum &s) {
  for (int i = 0; i < N; ++i)
    s.u[i] = x[i] * x[i];
  fftw_execute(s.plan);
  return cubes(s);
}
CHECK_NOINLINE static void only(Spectrum &s) { fftw_execute(s.plan); }

/// The derivative of cubes(F u) by u, by sums.
static void expected(const double *u, double *d) {
  for (int i = 0; i < N; ++i)
    d[i] = 0;
  for (int k = 0; k <= N / 2; ++k) {
    double a = 0, b = 0;
    for (int i = 0; i < N; ++i) {
      a += u[i] * cos(2 * M_PI * i * k / N);
      b -= u[i] * sin(2 * M_PI * i * k / N);
    }
    for (int i = 0; i < N; ++i)
      d[i] += (3 * a * a + b * b) * cos(2 * M_PI * i * k / N) -
              2 * a * b * sin(2 * M_PI * i * k / N);
  }
}

int main(void) {
  double x[N], u[N], d[N], wanted[N], t[N];
  for (int i = 0; i < N; ++i) {
    x[i] = 0.4 + 0.1 * ((i * 5) % 7);
    u[i] = x[i] * x[i];
    t[i] = 0.2 * (i % 3) - 0.1;
    d[i] = 0;
  }
  Spectrum s, shadow;
  expected(u, wanted);

  s.u.assign(u, u + N);
  __verso_grad_void((void *)inside, verso_dup, &s, &shadow);
  double slope = 0;
  for (int i = 0; i < N; ++i) {
    CHECK_CLOSE(shadow.u[i], wanted[i], 1e-12);
    slope += wanted[i] * t[i];
  }
  Spectrum tangent;
  tangent.u.assign(t, t + N);
  CHECK_CLOSE(__verso_jvp((void *)inside, verso_dup, &s, &tangent), slope,
              1e-12);

  Spectrum work, ofWork;
  __verso_grad_void((void *)through, verso_dup, x, d, verso_dup, &work,
                    &ofWork);
  for (int i = 0; i < N; ++i)
    CHECK_CLOSE(d[i], 2 * x[i] * wanted[i], 1e-12);
  slope = 0;
  for (int i = 0; i < N; ++i)
    slope += 2 * x[i] * wanted[i] * t[i];
  Spectrum ofTangent;
  CHECK_CLOSE(__verso_jvp((void *)through, verso_dup, x, t, verso_dup, &work,
                          &ofTangent),
              slope, 1e-12);
  CHECK_CLOSE(__verso_jvp((void *)through, verso_dup, x, t, verso_const, &work),
              slope, 1e-12);

  Spectrum bars;
  bars.h[1] = {2, 3};
  __verso_vjp_void((void *)only, verso_dup, &s, &bars);
  for (int i = 0; i < N; ++i)
    CHECK_CLOSE(bars.u[i],
                2 * cos(2 * M_PI * i / N) - 3 * sin(2 * M_PI * i / N), 1e-12);
  return check_status();
}
