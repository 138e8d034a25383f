//===- fftw-outside.cpp - plans from before, of the program's own arrays --===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIRES: fftw
// LIBS: -lfftw3
//
// Plans that lead to nothing with a shadow are none of those that are refused
// (test/driver/fftw-earlier.cpp): of work arrays of a class, of global arrays
// beside one that is an argument, of one block that is cut up, of what an
// object shares with its shadow, beside objects that lead to many others.
//
//===----------------------------------------------------------------------===//

#include "../check.h"

#include <fftw3.h>
#include <list>
#include <memory>
#include <vector>

double __verso_grad(void *, ...);
double __verso_jvp(void *, ...);
extern int verso_const;

constexpr int n = 8;

class Transform {
public:
  Transform() : In(n), Out(n + 2) { plan(In.data(), Out.data()); }
  Transform(double *Of, double *To) { plan(Of, To); }
  Transform(const Transform &) = delete;
  ~Transform() { fftw_destroy_plan(Plan); }
  double energy(const double *x) const {
    for (int i = 0; i < n / 2; ++i) // The others stay as they are.
      Of[i] = x[i] * x[i + n / 2];
    fftw_execute(Plan);
    double s = 0;
    for (int k = 0; k <= n / 2; ++k)
      s += (k + 1) * (To[2 * k] * To[2 * k] + To[2 * k + 1] * To[2 * k + 1]);
    return s;
  }

private:
  CHECK_NOINLINE void plan(double *A, double *B) {
    Of = A;
    To = B;
    Plan = fftw_plan_dft_r2c_1d(n, Of, reinterpret_cast<fftw_complex *>(To),
                                FFTW_ESTIMATE);
  }
  std::vector<double> In, Out;
  double *Of, *To;
  fftw_plan Plan;
};

struct Model {
  std::vector<double> x = std::vector<double>(n);
  std::list<std::vector<double>> more;
  double *work, *of; // The same in the shadow.
  std::unique_ptr<Model> next;
};

static const Transform *which;
static double globalX[n], globalIn[n], globalOut[n + 2];
static fftw_plan globalPlan;

CHECK_NOINLINE static double ofArray(const double *x) {
  return which->energy(x);
}
CHECK_NOINLINE static double ofModel(const Model &m) {
  double s = which->energy(m.x.data());
  for (const std::vector<double> &v : m.more)
    s += which->energy(v.data());
  return m.next ? s * which->energy(m.next->x.data()) : s;
}
CHECK_NOINLINE static double ofGlobals(const double *x) {
  for (int i = 0; i < n; ++i)
    globalIn[i] = x[i] * x[i];
  fftw_execute(globalPlan);
  return globalOut[2] * globalOut[3];
}
using D = const double *;
CHECK_NOINLINE static double ofMany(D a, D b, D c, D d, D e, D f, D g, D h, D i,
                                    D j, D k, D l, D m, D o, D p, D q, D r,
                                    D x) {
  return which->energy(x) + *a * *b * *c * *d * *e * *f * *g * *h * *i * *j *
                                *k * *l * *m * *o * *p * *q * *r;
}

/// By differences of the same.
template <class F> static void compare(const F &f, double *x, const double *d) {
  for (int i = 0; i < n; ++i) {
    const double at = x[i], h = 1e-5;
    x[i] = at + h;
    const double above = f();
    x[i] = at - h;
    const double slope = (above - f()) / (2 * h);
    x[i] = at;
    CHECK_CLOSE(d[i], slope, 1e-6);
  }
}
CHECK_NOINLINE static void gradient(double (*f)(const double *), double *x,
                                    double *d) {
  for (int i = 0; i < n; ++i)
    x[i] = 0.4 + 0.1 * ((i * 5) % 7), d[i] = 0;
  if (f == ofArray)
    __verso_grad((void *)ofArray, x, d);
  else
    __verso_grad((void *)ofGlobals, x, d);
  compare([&] { return f(x); }, x, d);
  double t[n], slope = 0;
  for (int i = 0; i < n; ++i)
    slope += d[i] * (t[i] = 0.3 * (i % 3) - 0.2);
  CHECK_CLOSE(f == ofArray ? __verso_jvp((void *)ofArray, verso_dup, x, t)
                           : __verso_jvp((void *)ofGlobals, verso_dup, x, t),
              slope, 1e-12);
}

int main(void) {
  const Transform own;
  which = &own;
  std::vector<double> x(n), d(n);
  double y[n], dy[n];
  gradient(ofArray, x.data(), d.data());
  gradient(ofArray, y, dy);
  gradient(ofArray, globalX, dy);

  globalPlan = fftw_plan_dft_r2c_1d(
      n, globalIn, reinterpret_cast<fftw_complex *>(globalOut), FFTW_ESTIMATE);
  gradient(ofGlobals, globalX, d.data());
  gradient(ofGlobals, globalX, dy);
  gradient(ofGlobals, x.data(), d.data());
  fftw_destroy_plan(globalPlan);

  // One block of an argument, and the plan's arrays.
  auto *block = static_cast<double *>(calloc(3 * n + 2, sizeof(double)));
  {
    const Transform inBlock(block + n, block + 2 * n);
    which = &inBlock;
    gradient(ofArray, block, d.data());
  }

  double work[n] = {0}, of[n + 2];
  const Transform ofWork(work, of);
  which = &ofWork;
  Model m, dm;
  for (Model *at : {&m, &dm}) {
    at->next.reset(new Model);
    at->more.assign(20, std::vector<double>(n));
    at->work = at->next->work = work;
    at->of = at->next->of = of;
  }
  for (int i = 0; i < n; ++i)
    m.x[i] = m.next->x[i] = m.more.back()[i] = 0.4 + 0.1 * ((i * 5) % 7);
  __verso_grad((void *)ofModel, &m, &dm);
  auto again = [&] { return ofModel(m); };
  compare(again, m.x.data(), dm.x.data());
  compare(again, m.next->x.data(), dm.next->x.data());
  compare(again, m.more.back().data(), dm.more.back().data());

  double a = 1, b = 0;
  which = &own;
  for (double &bar : d)
    bar = 0;
  __verso_grad((void *)ofMany, &a, &b, &a, &b, &a, &b, &a, &b, &a, &b, &a, &b,
               &a, &b, &a, &b, &a, &b, &a, &b, &a, &b, &a, &b, &a, &b, &a, &b,
               &a, &b, &a, &b, &a, &b, x.data(), d.data());
  compare([&] { return own.energy(x.data()); }, x.data(), d.data());
  CHECK_CLOSE(b, 17, 1e-12);
  free(block);
  return check_status();
}
