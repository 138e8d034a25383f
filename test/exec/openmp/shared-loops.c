//===- shared-loops.c - gradients whose loops threads share ---------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FLAGS: -fopenmp
// REQUIRES: openmp
// HEAVY: forty functions
//
// Every kernel with its loops shared and without, for several numbers of
// threads, of few and of many iterations: stencils in which threads' parts
// meet, parameters that all of them add to, cells that an index tells (atomic
// from some number of threads on), variables of an iteration, loops that hand
// on what makes one thread run them.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <omp.h>

#define PRAGMA(X) _Pragma(#X)
#define NAME(f) f
#define SHARED(X) PRAGMA(omp parallel X)
#include "shared-kernels.h"
#undef NAME
#undef SHARED
#define NAME(f) f##_alone
#define SHARED(X)
#include "shared-kernels.h"

enum { MaxN = 1001, MaxM = 15 };
static double x[MaxN], dx[MaxN], expected_dx[MaxN];
static double p[MaxM], dp[MaxM], expected_dp[MaxM];

#define CHECK_KERNEL(f)                                                        \
  do {                                                                         \
    for (long i = 0; i < n; ++i)                                               \
      x[i] = sin(1.0 + i), dx[i] = expected_dx[i] = 0;                         \
    for (long j = 0; j < m; ++j)                                               \
      p[j] = cos(0.5 * j), dp[j] = expected_dp[j] = 0;                         \
    __verso_grad_void((void *)f, verso_dup, x, dx, verso_dup, p, dp,           \
                      verso_const, n, verso_const, m);                         \
    __verso_grad_void((void *)f##_alone, verso_dup, x, expected_dx, verso_dup, \
                      p, expected_dp, verso_const, n, verso_const, m);         \
    for (long i = 0; i < n; ++i)                                               \
      CHECK_CLOSE(dx[i], expected_dx[i], 1e-11);                               \
    for (long j = 0; j < m; ++j)                                               \
      CHECK_CLOSE(dp[j], expected_dp[j], 1e-11);                               \
  } while (0)

static void check(long n, long m) {
  CHECK_KERNEL(points);
  CHECK_KERNEL(stencil);
  CHECK_KERNEL(matvec);
  CHECK_KERNEL(transposed);
  CHECK_KERNEL(inplace);
  CHECK_KERNEL(scratch);
  CHECK_KERNEL(gathered);
  CHECK_KERNEL(strided);
  CHECK_KERNEL(backwards);
  CHECK_KERNEL(integers);
  CHECK_KERNEL(branches);
  CHECK_KERNEL(newton);
  CHECK_KERNEL(triangle);
  CHECK_KERNEL(pairs);
  CHECK_KERNEL(grid);
  CHECK_KERNEL(called);
  CHECK_KERNEL(localarray);
  CHECK_KERNEL(scattered);
  CHECK_KERNEL(bodies);
  CHECK_KERNEL(matmul);
  CHECK_KERNEL(sparse);
}

int main(void) {
  static const long sizes[] = {1, 2, 5, 31, 100, MaxN};
  static const int threads[] = {1, 2, 3, 4, 7, 24};
  omp_set_dynamic(0);
  for (unsigned t = 0; t < sizeof threads / sizeof *threads; ++t) {
    omp_set_num_threads(threads[t]);
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; ++k)
      for (long m = 1; m <= MaxM;
           m = 4 * m + 1 > MaxM && m < MaxM ? MaxM : 4 * m + 1)
        check(sizes[k], m);
  }
  return check_status();
}
