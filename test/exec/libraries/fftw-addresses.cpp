//===- fftw-addresses.cpp - functions of FFTW through pointers ------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIRES: fftw
// LIBS: -lfftw3
//
// Who plans, executes, destroys or frees through the address of a function of
// FFTW: deleters of smart pointers, made and run inside the request or outside,
// and tables, constant or not. Plans made through them are known, and forgotten
// when they are destroyed.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <fftw3.h>
#include <functional>
#include <memory>
#include <utility>

double __verso_grad(void *, ...);
double __verso_jvp(void *, ...);

constexpr int n = 8;

using PlanPointer = std::unique_ptr<fftw_plan_s, decltype(&fftw_destroy_plan)>;
using Numbers = std::unique_ptr<double[], decltype(&fftw_free)>;

struct Library {
  fftw_plan (*plan)(int, double *, fftw_complex *, unsigned);
  void (*execute)(const fftw_plan);
  void (*executeOn)(const fftw_plan, double *, fftw_complex *);
  void (*destroy)(fftw_plan);
  double *(*take)(size_t);
  void (*give)(void *);
};
static const Library fixed = {fftw_plan_dft_r2c_1d, fftw_execute,
                              fftw_execute_dft_r2c, fftw_destroy_plan,
                              fftw_alloc_real,      fftw_free};
static Library variable = fixed;

static double of(const double *y) {
  return y[2] * y[2] + 3 * y[3] + y[0] * y[4];
}

CHECK_NOINLINE static double inUnique(const double *x) {
  Numbers in(fftw_alloc_real(n), fftw_free);
  Numbers out(fftw_alloc_real(n + 2), &fftw_free);
  PlanPointer p(fftw_plan_dft_r2c_1d(
                    n, in.get(), reinterpret_cast<fftw_complex *>(out.get()),
                    FFTW_ESTIMATE),
                fftw_destroy_plan);
  for (int i = 0; i < n; ++i)
    in[i] = x[i] * x[i];
  fftw_execute(p.get());
  return of(out.get());
}
CHECK_NOINLINE static double inShared(const double *x) {
  std::shared_ptr<double> in(fftw_alloc_real(n), fftw_free);
  std::shared_ptr<double> out(fftw_alloc_real(n + 2), &fftw_free);
  std::shared_ptr<fftw_plan_s> p(
      fftw_plan_dft_r2c_1d(n, in.get(),
                           reinterpret_cast<fftw_complex *>(out.get()),
                           FFTW_ESTIMATE),
      fftw_destroy_plan);
  for (int i = 0; i < n; ++i)
    in.get()[i] = x[i] * x[i];
  fftw_execute(p.get());
  return of(out.get());
}
CHECK_NOINLINE static double byTable(const double *x, const Library &library) {
  double *in = library.take(n), *out = library.take(n + 2);
  auto *to = reinterpret_cast<fftw_complex *>(out);
  fftw_plan p = library.plan(n, in, to, FFTW_ESTIMATE);
  for (int i = 0; i < n; ++i)
    in[i] = x[i] * x[i];
  library.execute(p);
  double y = of(out);
  library.executeOn(p, in, to);
  y += of(out);
  library.destroy(p);
  library.give(in);
  library.give(out);
  return y / 2;
}
static double byFixed(const double *x) { return byTable(x, fixed); }
static double byVariable(const double *x) { return byTable(x, variable); }

// Made outside, destroyed inside.
static PlanPointer last(nullptr, fftw_destroy_plan);
static double work[n], to[n + 2];
static void makeLast() {
  last.reset(variable.plan(n, work, reinterpret_cast<fftw_complex *>(to),
                           FFTW_ESTIMATE));
}
CHECK_NOINLINE static double destroying(const double *x) {
  for (int i = 0; i < n; ++i)
    work[i] = x[i] * x[i];
  PlanPointer mine = std::move(last);
  fftw_execute(mine.get());
  return of(to);
}

static void expect(const double *d, const double *x) {
  static double wanted[n];
  static bool known = false;
  if (!known)
    for (int i = 0; i < n; ++i) {
      double y[n], h = 1e-5;
      for (int j = 0; j < n; ++j)
        y[j] = x[j];
      y[i] += h;
      const double above = inUnique(y);
      y[i] -= 2 * h;
      wanted[i] = (above - inUnique(y)) / (2 * h);
    }
  known = true;
  for (int i = 0; i < n; ++i)
    CHECK_CLOSE(d[i], wanted[i], 1e-7);
}
/// By the tape or as structured code, and forwards.
#define EXPECT(F, BEFORE)                                                      \
  {                                                                            \
    double d[n] = {0}, slope = 0, t[n];                                        \
    BEFORE;                                                                    \
    __verso_grad((void *)F, x, d);                                             \
    expect(d, x);                                                              \
    for (int i = 0; i < n; ++i)                                                \
      slope += d[i] * (t[i] = 0.3 * (i % 3) - 0.2);                            \
    BEFORE;                                                                    \
    CHECK_CLOSE(__verso_jvp((void *)F, verso_dup, x, t), slope, 1e-12);        \
  }

int main(void) {
  double x[n];
  for (int i = 0; i < n; ++i)
    x[i] = 0.4 + 0.1 * ((i * 5) % 7);
  EXPECT(inUnique, );
  EXPECT(inShared, );
  EXPECT(byFixed, );
  EXPECT(byVariable, );
  EXPECT(destroying, makeLast());
  // Another plan at the address of one that a deleter has destroyed.
  for (int k = 0; k < 3; ++k) {
    makeLast();
    EXPECT(destroying, makeLast());
  }
  last.reset();
  CHECK(PlanPointer(nullptr, fftw_destroy_plan).get_deleter() ==
        variable.destroy);
  return check_status();
}
