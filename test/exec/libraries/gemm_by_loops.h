//===- gemm_by_loops.h - a BLAS of one function -----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The products of matrices by which bodies of BLAS and LAPACK do their blocks
// are the program's. Tests that link no library have these: to the compiler the
// library's names are those of other files; the linker is told what they are
// (--defsym).
//
//===----------------------------------------------------------------------===//

#include <stddef.h>

static long products_by_loops; // That were asked for.

#define GEMM_BY_LOOPS(LETTER, REAL)                                            \
  __attribute__((used)) void LETTER##gemm_by_loops(                            \
      const char *ta, const char *tb, const int *m, const int *n,              \
      const int *k, const REAL *alpha, const REAL *a, const int *rows_a,       \
      const REAL *b, const int *rows_b, const REAL *beta, REAL *c,             \
      const int *rows_c, size_t of_ta, size_t of_tb) {                         \
    (void)of_ta, (void)of_tb;                                                  \
    ++products_by_loops;                                                       \
    for (int j = 0; j < *n; ++j)                                               \
      for (int i = 0; i < *m; ++i) {                                           \
        REAL sum = 0, *e = &c[i + j * *rows_c];                                \
        for (int l = 0; l < *k; ++l)                                           \
          sum += a[*ta == 'N' ? i + l * *rows_a : l + i * *rows_a] *           \
                 b[*tb == 'N' ? l + j * *rows_b : j + l * *rows_b];            \
        *e = *alpha * sum + (*beta == 0 ? 0 : *beta * *e);                     \
      }                                                                        \
  }                                                                            \
  __attribute__((used)) void LETTER##gemm_of_c_by_loops(                       \
      int order, int ta, int tb, int m, int n, int k, REAL alpha,              \
      const REAL *a, int rows_a, const REAL *b, int rows_b, REAL beta,         \
      REAL *c, int rows_c) {                                                   \
    const char *of_a = ta == 111 ? "N" : "T", *of_b = tb == 111 ? "N" : "T";   \
    if (order == 102)                                                          \
      LETTER##gemm_by_loops(of_a, of_b, &m, &n, &k, &alpha, a, &rows_a, b,     \
                            &rows_b, &beta, c, &rows_c, 1, 1);                 \
    else                                                                       \
      LETTER##gemm_by_loops(of_b, of_a, &n, &m, &k, &alpha, b, &rows_b, a,     \
                            &rows_a, &beta, c, &rows_c, 1, 1);                 \
  }

GEMM_BY_LOOPS(d, double)
GEMM_BY_LOOPS(s, float)
