//===- fftw-solver.c - a spectral solver by FFTW --------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIRES: fftw
// LIBS: -lfftw3 -lfftw3f
// UNCHECKED: a column of each transform for each of many of them takes long
//
// The vorticity of a flow in a periodic square: derivatives in Fourier space,
// products in space, a Poisson equation for the stream function, in steps. The
// gradient by the first vorticity and the viscosity agrees with the tangent,
// which agrees with differences. The solver is a structure of plans and arrays,
// made within and given from outside.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <fftw3.h>

double __verso_jvp(void *, ...);

enum { n = 8, half = n / 2 + 1, cells = n * n, modes = n * half, steps = 3 };

struct flow {
  double *u;          // In space.
  fftw_complex *of_u; // Its modes.
  fftw_complex *vorticity;
  fftw_plan to_modes, to_space;
};

static struct flow *new_flow(void) {
  struct flow *f = malloc(sizeof *f);
  f->u = fftw_alloc_real(cells);
  f->of_u = fftw_alloc_complex(modes);
  f->vorticity = fftw_alloc_complex(modes);
  f->to_modes = fftw_plan_dft_r2c_2d(n, n, f->u, f->of_u, FFTW_ESTIMATE);
  f->to_space = fftw_plan_dft_c2r_2d(n, n, f->of_u, f->u, FFTW_ESTIMATE);
  return f;
}
static void free_flow(struct flow *f) {
  fftw_destroy_plan(f->to_modes);
  fftw_destroy_plan(f->to_space);
  fftw_free(f->u);
  fftw_free(f->of_u);
  fftw_free(f->vorticity);
  free(f);
}

static int wave(int k) { return k > n / 2 ? k - n : k == n / 2 ? 0 : k; }

// To space, of the modes times i times the wave numbers, over -k^2 or not.
static void derive(struct flow *f, int by_x, int inverts, double *to) {
  for (int k = 0; k < n; ++k)
    for (int l = 0; l < half; ++l) {
      int kx = wave(k), ky = wave(l), at = k * half + l;
      double square = kx * kx + ky * ky;
      double factor = by_x ? kx : ky;
      if (inverts)
        factor = square > 0 ? -factor / square : 0;
      f->of_u[at][0] = -factor * f->vorticity[at][1];
      f->of_u[at][1] = factor * f->vorticity[at][0];
    }
  fftw_execute(f->to_space);
  for (int k = 0; k < cells; ++k)
    to[k] = f->u[k];
}

static double run(struct flow *f, const double *start, double viscosity) {
  double wx[cells], wy[cells], px[cells], py[cells];
  const double dt = 0.05;
  memcpy(f->u, start, cells * sizeof *f->u);
  fftw_execute(f->to_modes);
  memcpy(f->vorticity, f->of_u, modes * sizeof *f->of_u);
  for (int step = 0; step < steps; ++step) {
    derive(f, 1, 0, wx);
    derive(f, 0, 0, wy);
    derive(f, 1, 1, px);
    derive(f, 0, 1, py);
    for (int k = 0; k < cells; ++k)
      f->u[k] = (py[k] * wx[k] - px[k] * wy[k]) / (cells * (double)cells);
    fftw_execute(f->to_modes);
    for (int k = 0; k < n; ++k)
      for (int l = 0; l < half; ++l) {
        int kx = wave(k), ky = wave(l), at = k * half + l;
        double damp = 1 / (1 + dt * viscosity * (kx * kx + ky * ky));
        for (int part = 0; part < 2; ++part)
          f->vorticity[at][part] =
              damp * (f->vorticity[at][part] - dt * f->of_u[at][part]);
      }
  }
  memcpy(f->of_u, f->vorticity, modes * sizeof *f->of_u);
  fftw_execute(f->to_space);
  double sum = 0;
  for (int k = 0; k < cells; ++k)
    sum += cos(0.3 * k) * f->u[k] * f->u[k] / (cells * (double)cells);
  return sum;
}

// The last parameter is the viscosity.
static double solve(const double *x) {
  struct flow *f = new_flow();
  double result = run(f, x, x[cells]);
  free_flow(f);
  return result;
}
static struct flow *made_before;
static double solve_by_given(const double *x) {
  return run(made_before, x, x[cells]);
}

static void compare(const char *name, const double *x, const double *v,
                    const double *bars, double tangent) {
  double product = 0, moved[2][cells + 1];
  const double h = 1e-5;
  for (int k = 0; k <= cells; ++k) {
    product += bars[k] * v[k];
    moved[0][k] = x[k] - h * v[k];
    moved[1][k] = x[k] + h * v[k];
  }
  check_close(name, __FILE__, __LINE__, product, tangent, 1e-12);
  check_close(name, __FILE__, __LINE__, tangent,
              (solve(moved[1]) - solve(moved[0])) / (2 * h), 1e-7);
}

int main(void) {
  double x[cells + 1], v[cells + 1], bars[cells + 1] = {0};
  for (int k = 0; k < cells; ++k) {
    x[k] =
        3 * sin(0.8 * (k % n)) * cos(1.6 * (k / n)) + 0.3 * cos(0.17 * k * k);
    v[k] = sin(0.37 * k * k);
  }
  x[cells] = 0.1;
  v[cells] = 0.7;
  __verso_grad((void *)solve, x, bars);
  compare("solve", x, v, bars, __verso_jvp((void *)solve, x, v));
  made_before = new_flow();
  memset(bars, 0, sizeof bars);
  __verso_grad((void *)solve_by_given, x, bars);
  compare("given", x, v, bars, __verso_jvp((void *)solve_by_given, x, v));
  free_flow(made_before);
  return check_status();
}
