//===- shared-classes.cpp - gradients of C++ whose loops threads share ----===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FLAGS: -fopenmp
// REQUIRES: openmp
// HEAVY: thirty functions
//
// Vectors, lambdas, structures and tables; cells updated in place in two
// colours; what makes one thread run a loop (critical sections, reductions of
// arrays, last values, exceptions, allocations). Each with its loops shared and
// without.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <algorithm>
#include <cmath>
#include <omp.h>
#include <vector>

#define PRAGMA(X) _Pragma(#X)
#define NAME(f) f
#define SHARED(X) PRAGMA(omp parallel X)
#define REGION(X) PRAGMA(omp parallel X)
#define FOR(X) PRAGMA(omp for X)
#define OMP(X) PRAGMA(X)
#include "shared-classes.h"
#undef NAME
#undef SHARED
#undef REGION
#undef FOR
#undef OMP
#define NAME(f) f##_alone
#define SHARED(X)
#define REGION(X)
#define FOR(X)
#define OMP(X)
#include "shared-classes.h"

using Vector = std::vector<double>;
using Function = double(const Vector &, const Vector &);

template <Function *Shared, Function *Alone>
static void check(size_t n, size_t m, double tolerance = 1e-10) {
  Vector x(n), p(m), dx(n), dp(m), ex(n), ep(m);
  for (size_t i = 0; i < n; ++i)
    x[i] = std::sin(1.0 + i);
  for (size_t j = 0; j < m; ++j)
    p[j] = std::cos(0.5 * j);
  __verso_grad((void *)Shared, verso_dup, &x, &dx, verso_dup, &p, &dp);
  __verso_grad((void *)Alone, verso_dup, &x, &ex, verso_dup, &p, &ep);
  for (size_t i = 0; i < n; ++i)
    CHECK_CLOSE(dx[i], ex[i], tolerance);
  for (size_t j = 0; j < m; ++j)
    CHECK_CLOSE(dp[j], ep[j], tolerance);
}

int main() {
  omp_set_dynamic(0);
  for (int threads : {1, 2, 3, 16}) {
    omp_set_num_threads(threads);
    for (size_t n : {8, 13, 101, 1000})
      for (size_t m : {1, 3, 8}) {
        check<vecs, vecs_alone>(n, m);
        check<redblack, redblack_alone>(n, m);
        check<floats, floats_alone>(n, m, 1e-5);
        check<structs, structs_alone>(n, m);
        check<three, three_alone>(n, m);
        check<lambdas, lambdas_alone>(n, m);
        check<table, table_alone>(n, m);
        check<hist, hist_alone>(n, m);
        check<lastp, lastp_alone>(n, m);
        check<crit, crit_alone>(n, m);
        check<throws, throws_alone>(n, m);
        check<news, news_alone>(n, m);
        check<region, region_alone>(n, m);
        check<unsign, unsign_alone>(n, m);
        check<prod, prod_alone>(n, m);
        check<memo, memo_alone>(n, m);
        check<kept, kept_alone>(n, m);
      }
  }
  return check_status();
}
