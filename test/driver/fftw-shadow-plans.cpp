//===- fftw-shadow-plans.cpp - the plans of shadows -----------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object of arrays and a plan, and a shadow that is made as it is. A shadow
// that is a copy of another object has that one's plan: derivatives would go to
// arrays that nobody asked for, so it is an error. The plan of an object that
// has planned once more, or for the first time, in the request itself is right:
// its arrays are new, or have their own shadows.
//
//===----------------------------------------------------------------------===//

// REQUIRES: fftw
// RUN: %clangxx_verso -O0 -g %s -o %t.0 %verso_libs -lfftw3
// RUN: %clangxx_verso -O1 -g %s -o %t.1 %verso_libs -lfftw3
// RUN: %clangxx_verso -O2 -g %s -o %t.2 %verso_libs -lfftw3
// RUN: %clangxx_verso -O3 -g -mllvm -verso-strategy=taped %s -o %t.t %verso_libs -lfftw3
// RUN: %t.0 > %t.out 2>&1
// RUN: %t.1 >> %t.out 2>&1
// RUN: %t.2 >> %t.out 2>&1
// RUN: %t.t >> %t.out 2>&1
// RUN: FileCheck %s --input-file=%t.out --implicit-check-not=silence --implicit-check-not=wrong

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fftw3.h>
#include <memory>
#include <string>
#include <vector>

double __verso_grad(void *, ...);
double __verso_jvp(void *, ...);
extern int verso_dup, verso_const;

constexpr int n = 8;

struct Field {
  std::vector<double> u, spectrum;
  std::shared_ptr<fftw_plan_s> plan;
  explicit Field(int count) { resize(count); }
  void resize(int count) {
    u.resize(count);
    spectrum.resize(count + 2);
    makePlan();
  }
  void makePlan() {
    plan.reset(fftw_plan_dft_r2c_1d(int(u.size()), u.data(),
                                    (fftw_complex *)spectrum.data(),
                                    FFTW_ESTIMATE),
               fftw_destroy_plan);
  }
};

// clang-format off
// CHECK-COUNT-8: verso: error: {{.*}}fftw-shadow-plans.cpp:[[# @LINE + 3]]:{{[0-9]+}}: in 'power(Field*)': a plan of FFTW lies in memory that has a shadow, and the plan in the shadow is one of other arrays than the shadows of its arrays: {{.*}}hand the arrays to fftw_execute_dft_r2c(plan, in, out)
// clang-format on
static double power(Field *f) {
  fftw_execute(f->plan.get());
  double s = 0;
  for (double each : f->spectrum)
    s += each * each;
  return s;
}

struct Workspace {
  double *in = nullptr, *out = nullptr;
  fftw_plan plan = nullptr;
};
static double spectrum(Workspace &w, const double *x) {
  for (int k = 0; k < n; ++k)
    w.in[k] = x[k] * x[k];
  fftw_execute(w.plan);
  double s = 0;
  for (int k = 0; k < n + 2; ++k)
    s += (k + 1) * w.out[k] * w.out[k];
  return s;
}
static double lazy(Workspace *w, const double *x) {
  if (!w->plan) {
    w->in = fftw_alloc_real(n);
    w->out = fftw_alloc_real(n + 2);
    w->plan = fftw_plan_dft_r2c_1d(n, w->in, (fftw_complex *)w->out,
                                   FFTW_ESTIMATE);
  }
  return spectrum(*w, x);
}
/// Of the arrays that are there.
static double again(Workspace *w, const double *x) {
  fftw_destroy_plan(w->plan);
  w->plan =
      fftw_plan_dft_r2c_1d(n, w->in, (fftw_complex *)w->out, FFTW_ESTIMATE);
  return spectrum(*w, x);
}

static void compare(const char *what, double got, double want) {
  if (!(std::fabs(got - want) < 1e-5 * std::fabs(want)))
    printf("wrong: %s: %g, not %g\n", what, got, want);
}

/// By differences, adjoints and tangents.
template <double (*f)(Workspace *, const double *)> static void check() {
  auto make = [](Workspace &w) {
    if (f == lazy)
      return;
    w.in = fftw_alloc_real(n);
    w.out = fftw_alloc_real(n + 2);
    for (int k = 0; k < n + 2; ++k)
      w.in[k % n] = w.out[k] = 0;
    w.plan =
        fftw_plan_dft_r2c_1d(n, w.in, (fftw_complex *)w.out, FFTW_ESTIMATE);
  };
  double x[n], dx[n] = {0}, v[n], left[n], right[n], got = 0;
  for (int k = 0; k < n; ++k) {
    x[k] = 1 + 0.3 * k;
    v[k] = 1 - 0.2 * k;
    left[k] = x[k] - 1e-5 * v[k];
    right[k] = x[k] + 1e-5 * v[k];
  }
  Workspace plain, one, ofOne, other, ofOther;
  for (Workspace *w : {&plain, &one, &ofOne, &other, &ofOther})
    make(*w);
  const double above = f(&plain, right), below = f(&plain, left);
  __verso_grad((void *)f, verso_dup, &one, &ofOne, verso_dup, x, dx);
  for (int k = 0; k < n; ++k)
    got += dx[k] * v[k];
  compare("gradient", got, (above - below) / 2e-5);
  compare("tangent",
          __verso_jvp((void *)f, verso_dup, &other, &ofOther, verso_dup, x, v),
          (above - below) / 2e-5);
}

int main(int argc, char **argv) {
  if (argc == 1) {
    for (const char *which : {" grad", " jvp"})
      if (system((std::string(argv[0]) + which).c_str()) == 0)
        printf("silence%s\n", which);
    check<lazy>();
    check<again>();
    return 0;
  }
  Field f(n), zero(n);
  for (int k = 0; k < n; ++k)
    f.u[k] = k;
  Field made(n);
  __verso_grad((void *)power, &f, &made); // As the constructor makes it.
  if (made.u[1] == 0)
    printf("wrong: zero\n");
  Field copy = zero;
  if (argv[1][0] == 'g')
    __verso_grad((void *)power, &f, &copy);
  else
    __verso_jvp((void *)power, verso_dup, &f, &copy);
  return 0;
}
