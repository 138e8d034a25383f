//===- gemm_by_loops.h - a BLAS of one function -----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The products of matrices by which bodies of BLAS and LAPACK do their blocks
// may be the program's. Tests that link no library have these.
//
//===----------------------------------------------------------------------===//

#include <stddef.h>

#define GEMM_BY_LOOPS(NAME, REAL)                                              \
  void NAME(const char *ta, const char *tb, const int *m, const int *n,        \
            const int *k, const REAL *alpha, const REAL *a, const int *rows_a, \
            const REAL *b, const int *rows_b, const REAL *beta, REAL *c,       \
            const int *rows_c, size_t of_ta, size_t of_tb) {                   \
    (void)of_ta, (void)of_tb;                                                  \
    for (int j = 0; j < *n; ++j)                                               \
      for (int i = 0; i < *m; ++i) {                                           \
        REAL sum = 0, *e = &c[i + j * *rows_c];                                \
        for (int l = 0; l < *k; ++l)                                           \
          sum += a[*ta == 'N' ? i + l * *rows_a : l + i * *rows_a] *           \
                 b[*tb == 'N' ? l + j * *rows_b : j + l * *rows_b];            \
        *e = *alpha * sum + (*beta == 0 ? 0 : *beta * *e);                     \
      }                                                                        \
  }

GEMM_BY_LOOPS(dgemm_, double)
GEMM_BY_LOOPS(sgemm_, float)
