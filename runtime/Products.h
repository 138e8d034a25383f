//===- Products.h - products of matrices ------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by Blas.h for float and for double. What is made of blocks calls
// this for all that is not on the diagonal.
//
//===----------------------------------------------------------------------===//

/// C += alpha op(A) op(B), where C has \p M rows and \p N columns.
static void BLAS(product)(_Bool TransA, _Bool TransB, Count M, Count N, Count K,
                          REAL Alpha, const REAL *restrict A, Count RowsA,
                          const REAL *restrict B, Count RowsB, REAL *restrict C,
                          Count RowsC) {
  const Count StepB = TransB ? RowsB : 1, ColumnB = TransB ? 1 : RowsB;
  for (Count J = 0; J < N; ++J) {
    if (TransA) {
      for (Count I = 0; I < M; ++I) {
        REAL Sum = 0;
        for (Count L = 0; L < K; ++L)
          Sum = BLAS(plusProduct)(Sum, A[L + I * RowsA],
                                  B[L * StepB + J * ColumnB]);
        C[I + J * RowsC] += Alpha * Sum;
      }
      continue;
    }
    for (Count L = 0; L < K; ++L) {
      const REAL Factor = Alpha * B[L * StepB + J * ColumnB];
      for (Count I = 0; I < M; ++I)
        C[I + J * RowsC] += Factor * A[I + L * RowsA];
    }
  }
}
