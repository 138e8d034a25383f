//===- fftw-earlier.cpp - plans from before, of what has a shadow ---------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan in a global variable that was made before the request, of memory that
// an argument leads to: of a part of it beyond what is known of its size, in an
// object behind it, behind the seventeenth argument, in an object that only a
// reference leads to; where seeds come later or are variables. No zero in
// silence, but an
// error at the program's line that names what to call.
//
//===----------------------------------------------------------------------===//

// REQUIRES: fftw
// RUN: %clangxx_verso -O0 -g %s -o %t.0 %verso_libs -lfftw3
// RUN: %clangxx_verso -O2 -g %s -o %t.2 %verso_libs -lfftw3
// RUN: %clangxx_verso -O2 -g -mllvm -verso-strategy=taped %s -o %t.t %verso_libs -lfftw3
// RUN: %clangxx_verso -O1 -g -fsanitize=address %s -o %t.a %verso_libs -lfftw3
// RUN: %t.0 > %t.out 2>&1
// RUN: %t.2 >> %t.out 2>&1
// RUN: %t.t >> %t.out 2>&1
// RUN: %t.a >> %t.out 2>&1
// RUN: FileCheck %s --input-file=%t.out --check-prefix=ERRORS --implicit-check-not=silence

#include <cstdio>
#include <cstdlib>
#include <fftw3.h>
#include <memory>
#include <string>
#include <vector>

double __verso_grad(void *, ...);
double __verso_vjp(void *, ...);
double __verso_jvp(void *, ...);
struct verso_tape;
verso_tape *__verso_linearize(void *, ...);
extern int verso_dup, verso_const;

constexpr int n = 16;
static fftw_plan plan;

struct Grid {
  int points;
  std::vector<double> u;
  explicit Grid(int count) : points(count), u(count) {}
};
struct Solver {
  double scale = 2;
  std::unique_ptr<Grid> grid;
  double *h;
};

/// Nobody sees which variables these are.
__attribute__((noinline)) static void make(double *in, double *out) {
  asm volatile("" : "+r"(in), "+r"(out));
  plan = fftw_plan_dft_r2c_1d(n, in, reinterpret_cast<fftw_complex *>(out),
                              FFTW_ESTIMATE);
}
static double out[n + 2], in[n];

__attribute__((noinline)) static double sum(const double *y) {
  double s = 0;
  for (int k = 0; k < n + 2; ++k)
    s += y[k] * y[k];
  return s;
}
// clang-format off
// ERRORS-COUNT-56: verso: error: {{.*}}fftw-earlier.cpp:[[# @LINE + 2]]:{{[0-9]+}}: in 'executed()': a plan of FFTW that was made before the request reads or writes memory that an argument with a shadow leads to, {{.*}}hand the arrays to fftw_execute_dft_r2c(plan, in, out)
// clang-format on
__attribute__((noinline)) static void executed() { fftw_execute(plan); }
static double array(const double *x) {
  executed();
  return sum(out) + x[0];
}
static void (*volatile pointer)() = executed;
static double byPointer(const double *x) {
  pointer();
  return sum(out) + x[0];
}
static double object(Solver &s) {
  executed();
  return s.scale * sum(s.h);
}
static void ofOutput(const double *x, double *y) {
  for (int k = 0; k < n; ++k)
    in[k] = x[k];
  executed();
}
using D = const double *;
static double many(D a, D b, D c, D d, D e, D f, D g, D h, D i, D j, D k, D l,
                   D m, D o, D p, D q, D r, D x) {
  executed();
  return sum(out) + *a * *b * *c * *d * *e * *f * *g * *h * *i * *j * *k * *l *
                        *m * *o * *p * *q * *r;
}

static double ofSeeds(const double *seeds, const double *x, double *y) {
  double bars[n] = {0}, ofY[n + 2], s = 0;
  for (int k = 0; k < n + 2; ++k)
    ofY[k] = seeds[k];
  __verso_vjp((void *)ofOutput, x, bars, y, ofY);
  for (int k = 0; k < n; ++k)
    s += bars[k];
  return s;
}
struct State {
  double step;
  std::vector<double> u;
};
static double early(const State *s) {
  executed();
  return s->step * sum(out);
}
__attribute__((noinline)) static void ofReference(State &s, State &ds) {
  __verso_grad((void *)early, &s, &ds);
}

__attribute__((noinline)) static void gradient(const double *x, double *bars) {
  __verso_grad((void *)array, x, bars);
}

/// Each case is a program of its own.
static int all(const std::string &program) {
  for (int k = 0; k != 14; ++k)
    if (system((program + " " + std::to_string(k)).c_str()) == 0)
      printf("silence %d\n", k);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 1)
    return all(argv[0]);
  const int which = atoi(argv[1]);
  std::vector<double> x(3 * n, 1.5), bars(3 * n);
  double *heap = static_cast<double *>(calloc(n + 8, sizeof *heap));
  double *ofHeap = static_cast<double *>(calloc(n + 8, sizeof *heap));
  std::vector<double> y(n + 2), ofY(n + 2, 1.0);
  Solver s, ds;
  s.grid.reset(new Grid(n));
  ds.grid.reset(new Grid(n));
  s.h = out;
  double *ofOut = static_cast<double *>(calloc(n + 2, sizeof(double)));
  ds.h = ofOut;
  double few[n + 8] = {1}, ofFew[n + 8] = {0};
  switch (which) {
  case 0:
    make(&x[8], out);
    gradient(x.data(), bars.data());
    break;
  case 1:
    make(heap + 8, out);
    gradient(heap, ofHeap);
    break;
  case 2: // The variable is seen where the plan is made.
    plan =
        fftw_plan_dft_r2c_1d(n, heap + 8, (fftw_complex *)out, FFTW_ESTIMATE);
    gradient(heap + 1, ofHeap);
    break;
  case 3: // Neither is known.
    make(few + 8, out);
    gradient(few + 1, ofFew + 1);
    break;
  case 4:
    make(s.grid->u.data(), out);
    __verso_grad((void *)object, &s, &ds);
    break;
  case 5:
    make(in, s.h = y.data());
    ds.h = ofY.data();
    __verso_grad((void *)object, &s, &ds);
    break;
  case 6:
    make(in, &y[0]);
    __verso_vjp((void *)ofOutput, x.data(), bars.data(), y.data(), ofY.data());
    break;
  case 7:
    make(&x[8], out);
    __verso_jvp((void *)array, verso_dup, x.data(), bars.data());
    break;
  case 8: {
    make(&x[8], out);
    double a = 1, b = 0;
    __verso_grad((void *)many, &a, &b, &a, &b, &a, &b, &a, &b, &a, &b, &a, &b,
                 &a, &b, &a, &b, &a, &b, &a, &b, &a, &b, &a, &b, &a, &b, &a, &b,
                 &a, &b, &a, &b, &a, &b, x.data(), bars.data());
    break;
  }
  case 10:
    make(&x[8], out);
    __verso_grad((void *)byPointer, x.data(), bars.data());
    break;
  case 11: // Adjoints of y come later.
    make(in, &y[0]);
    ofY.assign(n + 2, 0.0);
    __verso_linearize((void *)ofOutput, verso_dup, x.data(), bars.data(),
                      verso_dup, y.data(), ofY.data());
    break;
  case 12: // They are zero, and variables.
    make(in, &y[0]);
    ofY.assign(n + 2, 0.0);
    __verso_grad((void *)ofSeeds, verso_dup, ofY.data(), few, verso_const,
                 x.data(), verso_const, y.data());
    break;
  case 13: {
    State t{1, x}, dt{0, bars};
    make(t.u.data(), out);
    ofReference(t, dt);
    break;
  }
  case 9:
    make(s.grid->u.data(), out);
    __verso_jvp((void *)object, verso_dup, &s, &ds);
    break;
  }
  fftw_destroy_plan(plan);
  return 0;
}
