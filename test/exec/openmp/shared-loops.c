//===- shared-loops.c - derivatives whose loops threads share -------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FLAGS: -fopenmp
// REQUIRES: openmp
// HEAVY: forty functions, three requests each
//
// Every kernel with its loops shared and without: gradient, tangents, and the
// Hessian times a vector, for several numbers of threads, of few and of many
// iterations: stencils in which threads' parts meet, parameters that all of
// them add to, cells that an index tells (atomic from some number of threads
// on), variables of an iteration, loops that hand on what makes one thread run
// them.
//
//===----------------------------------------------------------------------===//

#include "check.h"

#include <omp.h>

void __verso_jvp_void(void *, ...);
double __verso_jvp(void *, ...);

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

/// Numbers beside x and p.
typedef struct {
  double x[MaxN], p[MaxM];
} Numbers;

typedef struct {
  Numbers gradient, product;
  double tangent;
} Derivatives;

static Numbers point, direction;

static void check_equal(const char *what, const Derivatives *got,
                        const Derivatives *expected, long n, long m) {
  check_close(what, __FILE__, __LINE__, got->tangent, expected->tangent, 1e-11);
  for (long i = 0; i < n; ++i) {
    check_close(what, __FILE__, __LINE__, got->gradient.x[i],
                expected->gradient.x[i], 1e-11);
    check_close(what, __FILE__, __LINE__, got->product.x[i],
                expected->product.x[i], 1e-9);
  }
  for (long j = 0; j < m; ++j) {
    check_close(what, __FILE__, __LINE__, got->gradient.p[j],
                expected->gradient.p[j], 1e-11);
    check_close(what, __FILE__, __LINE__, got->product.p[j],
                expected->product.p[j], 1e-9);
  }
}

#define DIFFERENTIATE(f)                                                       \
  static void gradient_##f(const double *x, double *dx, const double *p,       \
                           double *dp, long n, long m) {                       \
    __verso_grad_void((void *)f, verso_dup, x, dx, verso_dup, p, dp,           \
                      verso_const, n, verso_const, m);                         \
  }                                                                            \
  static void derive_##f(Derivatives *d, long n, long m) {                     \
    memset(d, 0, sizeof *d);                                                   \
    Numbers unused = {0};                                                      \
    gradient_##f(point.x, d->gradient.x, point.p, d->gradient.p, n, m);        \
    d->tangent =                                                               \
        __verso_jvp((void *)f, verso_dup, point.x, direction.x, verso_dup,     \
                    point.p, direction.p, verso_const, n, verso_const, m);     \
    __verso_jvp_void((void *)gradient_##f, verso_dup, point.x, direction.x,    \
                     verso_dup, unused.x, d->product.x, verso_dup, point.p,    \
                     direction.p, verso_dup, unused.p, d->product.p,           \
                     verso_const, n, verso_const, m);                          \
  }
#define CHECK_KERNEL(f)                                                        \
  DIFFERENTIATE(f)                                                             \
  DIFFERENTIATE(f##_alone)                                                     \
  static void check_##f(long n, long m) {                                      \
    static Derivatives got, expected;                                          \
    derive_##f(&got, n, m);                                                    \
    derive_##f##_alone(&expected, n, m);                                       \
    check_equal(#f, &got, &expected, n, m);                                    \
  }

CHECK_KERNEL(points)
CHECK_KERNEL(stencil)
CHECK_KERNEL(matvec)
CHECK_KERNEL(transposed)
CHECK_KERNEL(inplace)
CHECK_KERNEL(scratch)
CHECK_KERNEL(gathered)
CHECK_KERNEL(strided)
CHECK_KERNEL(backwards)
CHECK_KERNEL(integers)
CHECK_KERNEL(branches)
CHECK_KERNEL(newton)
CHECK_KERNEL(triangle)
CHECK_KERNEL(pairs)
CHECK_KERNEL(grid)
CHECK_KERNEL(called)
CHECK_KERNEL(localarray)
CHECK_KERNEL(scattered)
CHECK_KERNEL(bodies)
CHECK_KERNEL(matmul)
CHECK_KERNEL(sparse)
CHECK_KERNEL(rows)
CHECK_KERNEL(momentum)
CHECK_KERNEL(unentered)

static void (*const checks[])(long, long) = {
    check_points,     check_stencil,   check_matvec,   check_transposed,
    check_inplace,    check_scratch,   check_gathered, check_strided,
    check_backwards,  check_integers,  check_branches, check_newton,
    check_triangle,   check_pairs,     check_grid,     check_called,
    check_localarray, check_scattered, check_bodies,   check_matmul,
    check_sparse,     check_rows,      check_momentum, check_unentered};

int main(void) {
  static const long sizes[] = {1, 2, 5, 31, 100, MaxN},
                    parameters[] = {1, 5, MaxM};
  static const int threads[] = {1, 2, 3, 4, 7, 24};
  omp_set_dynamic(0);
  for (long i = 0; i < MaxN; ++i) {
    point.x[i] = sin(1.0 + i);
    direction.x[i] = cos(2.0 + 3 * i);
  }
  for (long j = 0; j < MaxM; ++j) {
    point.p[j] = cos(0.5 * j);
    direction.p[j] = sin(1.0 + 3 * j);
  }
  for (int t = 0; t < 6; ++t) {
    omp_set_num_threads(threads[t]);
    // Every two of threads, sizes and parameters meet. All three would take ten
    // times as long as the processors do where others use them as well.
    for (int n = 0; n < 6; ++n)
      for (unsigned k = 0; k < sizeof checks / sizeof *checks; ++k)
        checks[k](sizes[n], parameters[(t + n) % 3]);
  }
  return check_status();
}
