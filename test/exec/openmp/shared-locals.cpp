//===- shared-locals.cpp - local variables of iterations that are shared --===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FLAGS: -fopenmp
// REQUIRES: openmp
//
// Local variables whose addresses are kept: in a structure, in a closure, in an
// array, by a library function; and lists. Threads have variables of their own
// or one thread runs the loop; either is right.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <cmath>
#include <functional>
#include <omp.h>
#include <vector>

struct View {
  double *p;
  long n;
  double &at(long i) { return p[i]; }
};
__attribute__((noinline)) static void fill(View *v, double x) {
  for (long i = 0; i < v->n; ++i)
    v->p[i] = x * i + 1;
}
#define PRAGMA(X) _Pragma(#X)
#define NAME(f) f
#define SHARED(X) PRAGMA(omp parallel X)
#include "shared-locals.h"
#undef NAME
#undef SHARED
#define NAME(f) f##_alone
#define SHARED(X)
#include "shared-locals.h"

enum { N = 600 };
using Function = double(const double *, const double *, long);

template <Function *F> static std::vector<double> gradient() {
  std::vector<double> x(N), d(N + 1);
  double p = 0.7;
  for (int i = 0; i < N; ++i)
    x[i] = std::sin(i);
  __verso_grad((void *)F, verso_dup, x.data(), d.data(), verso_dup, &p, &d[N],
               verso_const, long(N));
  return d;
}

template <Function *Shared, Function *Alone> static void check() {
  std::vector<double> d = gradient<Shared>(), e = gradient<Alone>();
  for (int i = 0; i <= N; ++i)
    CHECK_CLOSE(d[i], e[i], 1e-11);
}

int main() {
  omp_set_dynamic(0);
  for (int threads : {1, 2, 3, 16}) {
    omp_set_num_threads(threads);
    for (int again = 0; again < 5; ++again) {
      check<viewed, viewed_alone>();
      check<funs, funs_alone>();
      check<ptrs, ptrs_alone>();
      check<list, list_alone>();
    }
  }
  return check_status();
}
