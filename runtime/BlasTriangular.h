//===- BlasTriangular.h - triangular matrices -------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix is a place, the step from row to row and the step from column to
// column. So one that is transposed or lies by rows has its steps exchanged,
// and one whose rows and columns are numbered from the last has negative steps:
// every triangular system is one of a lower matrix from the left, and every
// product by a triangular matrix one of an upper matrix from the left. One of
// the two steps is 1 or -1, which is what the loops are chosen by.
//
//===----------------------------------------------------------------------===//

/// C += alpha A B, where C has \p M rows and \p N columns. Steps are negative
/// in both matrices that share these rows or columns, and those of B's columns
/// are not.
static void BLAS(update)(Count M, Count N, Count K, REAL Alpha, const REAL *A,
                         Count RowA, Count ColumnA, const REAL *B, Count RowB,
                         Count ColumnB, REAL *C, Count RowC, Count ColumnC) {
  if (RowA < 0) {
    A += (M - 1) * RowA;
    C += (M - 1) * RowC;
    RowA = -RowA;
    RowC = -RowC;
  }
  if (ColumnA < 0) {
    A += (K - 1) * ColumnA;
    B += (K - 1) * RowB;
    ColumnA = -ColumnA;
    RowB = -RowB;
  }
  // Columns of A and B may overlap (Eigen's maps of Hankel matrices).
  const _Bool TransA = RowA != 1, TransB = RowB != 1;
  const Count RowsA = TransA ? RowA : ColumnA, RowsB = TransB ? RowB : ColumnB;
  if (RowC == 1)
    BLAS(product)(TransA, TransB, M, N, K, Alpha, A, RowsA, B, RowsB, C,
                  ColumnC);
  else
    BLAS(product)(!TransB, !TransA, N, M, K, Alpha, B, RowsB, A, RowsA, C,
                  RowC);
}

/// B = L^-1 B by loops, where B has \p N rows and so has L. A block takes sums:
/// with one store an element little is kept of what is overwritten. What is
/// larger than a block is of a vector (trsv, \p ColumnB is zero), and goes
/// through A's columns. A vector's zero is not divided by a zero pivot.
static void BLAS(solveByLoops)(_Bool Unit, Count N, Count Columns,
                               const REAL *restrict A, Count RowA,
                               Count ColumnA, REAL *restrict B, Count RowB,
                               Count ColumnB) {
  if (ColumnB == 1) {
    for (Count I = 0; I < N; ++I) {
      for (Count K = 0; K < I; ++K) {
        const REAL Factor = A[I * RowA + K * ColumnA];
        for (Count J = 0; J < Columns; ++J)
          B[I * RowB + J] -= Factor * B[K * RowB + J];
      }
      if (!Unit) {
        const REAL Pivot = A[I * (RowA + ColumnA)];
        for (Count J = 0; J < Columns; ++J)
          B[I * RowB + J] /= Pivot;
      }
    }
    return;
  }
  const _Bool ByColumns = N > Block && (RowA == 1 || RowA == -1);
  const _Bool OfVector = ColumnB == 0;
  for (Count J = 0; J < Columns; ++J) {
    REAL *const X = B + J * ColumnB;
    if (ByColumns) {
      for (Count K = 0; K < N; ++K) {
        const REAL Pivot = Unit ? 1 : A[K * (RowA + ColumnA)];
        if (!(OfVector && Pivot == 0 && X[K * RowB] == 0))
          X[K * RowB] /= Pivot;
        const REAL Factor = X[K * RowB];
        for (Count I = K + 1; I < N; ++I)
          X[I * RowB] -= Factor * A[I * RowA + K * ColumnA];
      }
      continue;
    }
    for (Count I = 0; I < N; ++I) {
      REAL Sum = 0;
      for (Count K = 0; K < I; ++K)
        Sum = BLAS(plusProduct)(Sum, A[I * RowA + K * ColumnA], X[K * RowB]);
      const REAL Rest = X[I * RowB] - Sum;
      const REAL Pivot = Unit ? 1 : A[I * (RowA + ColumnA)];
      X[I * RowB] = OfVector && Pivot == 0 && Rest == 0 ? Rest : Rest / Pivot;
    }
  }
}

/// B = U B by loops, likewise.
static void BLAS(multiplyByLoops)(_Bool Unit, Count N, Count Columns,
                                  const REAL *restrict A, Count RowA,
                                  Count ColumnA, REAL *restrict B, Count RowB,
                                  Count ColumnB) {
  if (ColumnB == 1) {
    for (Count I = 0; I < N; ++I) {
      if (!Unit) {
        const REAL Pivot = A[I * (RowA + ColumnA)];
        for (Count J = 0; J < Columns; ++J)
          B[I * RowB + J] *= Pivot;
      }
      for (Count K = I + 1; K < N; ++K) {
        const REAL Factor = A[I * RowA + K * ColumnA];
        for (Count J = 0; J < Columns; ++J)
          B[I * RowB + J] += Factor * B[K * RowB + J];
      }
    }
    return;
  }
  const _Bool ByColumns = N > Block && (RowA == 1 || RowA == -1);
  for (Count J = 0; J < Columns; ++J) {
    REAL *const X = B + J * ColumnB;
    if (ByColumns) {
      for (Count K = 0; K < N; ++K) {
        const REAL Factor = X[K * RowB];
        for (Count I = 0; I < K; ++I)
          X[I * RowB] += Factor * A[I * RowA + K * ColumnA];
        if (!Unit)
          X[K * RowB] *= A[K * (RowA + ColumnA)];
      }
      continue;
    }
    for (Count I = 0; I < N; ++I) {
      REAL Sum = Unit ? X[I * RowB] : A[I * (RowA + ColumnA)] * X[I * RowB];
      for (Count K = I + 1; K < N; ++K)
        Sum = BLAS(plusProduct)(Sum, A[I * RowA + K * ColumnA], X[K * RowB]);
      X[I * RowB] = Sum;
    }
  }
}

/// B = A^-1 B, where A is a triangle of \p N rows.
static void BLAS(solve)(_Bool Lower, _Bool Unit, Count N, Count Columns,
                        const REAL *A, Count RowA, Count ColumnA, REAL *B,
                        Count RowB, Count ColumnB) {
  if (!Lower) {
    A += (N - 1) * (RowA + ColumnA);
    B += (N - 1) * RowB;
    RowA = -RowA;
    ColumnA = -ColumnA;
    RowB = -RowB;
  }
  for (Count K = 0; K < N; K += Block) {
    if (K > 0) {
      const Count Due = columnsDue(K), Before = K - Due;
      BLAS(update)(least(Due, N - K), Columns, Due, -1,
                   A + K * RowA + Before * ColumnA, RowA, ColumnA,
                   B + Before * RowB, RowB, ColumnB, B + K * RowB, RowB,
                   ColumnB);
    }
    BLAS(solveByLoops)(Unit, least(Block, N - K), Columns,
                       A + K * (RowA + ColumnA), RowA, ColumnA, B + K * RowB,
                       RowB, ColumnB);
  }
}

/// B = A B, where A is a triangle of \p N rows.
static void BLAS(multiply)(_Bool Lower, _Bool Unit, Count N, Count Columns,
                           const REAL *A, Count RowA, Count ColumnA, REAL *B,
                           Count RowB, Count ColumnB) {
  if (Lower) {
    A += (N - 1) * (RowA + ColumnA);
    B += (N - 1) * RowB;
    RowA = -RowA;
    ColumnA = -ColumnA;
    RowB = -RowB;
  }
  for (Count K = 0; K < N; K += Block) {
    if (K > 0) {
      const Count Due = columnsDue(K), Before = K - Due;
      BLAS(update)(Due, Columns, least(Due, N - K), 1,
                   A + Before * RowA + K * ColumnA, RowA, ColumnA, B + K * RowB,
                   RowB, ColumnB, B + Before * RowB, RowB, ColumnB);
    }
    BLAS(multiplyByLoops)(Unit, least(Block, N - K), Columns,
                          A + K * (RowA + ColumnA), RowA, ColumnA, B + K * RowB,
                          RowB, ColumnB);
  }
}

/// x = op(A)^-1 x, or x = op(A) x, in one vector.
static void BLAS(triangleOfVector)(_Bool Solves, _Bool Lower, _Bool Transpose,
                                   _Bool Unit, Count N, const REAL *A,
                                   Count Rows, REAL *X, Count Step) {
  Count RowA = Transpose ? Rows : 1, ColumnA = Transpose ? 1 : Rows;
  X += firstOf(N, Step);
  if ((Lower != Transpose) != Solves) {
    A += (N - 1) * (RowA + ColumnA);
    X += (N - 1) * Step;
    RowA = -RowA;
    ColumnA = -ColumnA;
    Step = -Step;
  }
  if (Solves)
    BLAS(solveByLoops)(Unit, N, 1, A, RowA, ColumnA, X, Step, /*ColumnB=*/0);
  else
    BLAS(multiplyByLoops)(Unit, N, 1, A, RowA, ColumnA, X, Step, /*ColumnB=*/0);
}

/// B = op(A)^-1 B, or from the right, or the products. B has \p M rows.
static void BLAS(plainTriangle)(_Bool Solves, _Bool Left, _Bool Lower,
                                _Bool Transpose, _Bool Unit, Count M, Count N,
                                const REAL *A, Count RowsA, REAL *B,
                                Count RowsB) {
  // From the right it is op(A)^T on B^T.
  const _Bool Turned = Transpose == Left;
  const Count RowA = Turned ? RowsA : 1, ColumnA = Turned ? 1 : RowsA;
  const Count RowB = Left ? 1 : RowsB, ColumnB = Left ? RowsB : 1;
  if (Solves)
    BLAS(solve)(Lower != Turned, Unit, Left ? M : N, Left ? N : M, A, RowA,
                ColumnA, B, RowB, ColumnB);
  else
    BLAS(multiply)(Lower != Turned, Unit, Left ? M : N, Left ? N : M, A, RowA,
                   ColumnA, B, RowB, ColumnB);
}

/// Likewise, times alpha.
static void BLAS(triangle)(_Bool Solves, _Bool Left, _Bool Lower,
                           _Bool Transpose, _Bool Unit, Count M, Count N,
                           REAL Alpha, const REAL *A, Count RowsA, REAL *B,
                           Count RowsB) {
  for (Count J = 0; J < N; ++J)
    BLAS(scal)(M, Alpha, B + J * RowsB, 1);
  BLAS(plainTriangle)(Solves, Left, Lower, Transpose, Unit, M, N, A, RowsA, B,
                      RowsB);
}

#define VERSO_TRIANGULAR(NAME, SOLVES)                                         \
  void BODY(NAME##v)(const char *Uplo, const char *Trans, const char *Diag,    \
                     const int *N, const REAL *A, const int *Rows, REAL *X,    \
                     const int *Step) {                                        \
    requireLegal(*N >= 0 && *Rows >= atLeastOne(*N) && *Step, #NAME "v");      \
    BLAS(triangleOfVector)(SOLVES, isLower(*Uplo, #NAME "v"),                  \
                           isTransposed(*Trans, #NAME "v"),                    \
                           isUnit(*Diag, #NAME "v"), *N, A, *Rows, X, *Step);  \
  }                                                                            \
  void CBODY(NAME##v)(int Order, int Uplo, int Trans, int Diag, int N,         \
                      const REAL *A, int Rows, REAL *X, int Step) {            \
    const _Bool ByRows = isRowMajor(Order, #NAME "v");                         \
    requireLegal(N >= 0 && Rows >= atLeastOne(N) && Step, #NAME "v");          \
    BLAS(triangleOfVector)(                                                    \
        SOLVES, isValueOf(Uplo, Lower, Upper, #NAME "v") != ByRows,            \
        transposes(Trans, #NAME "v") != ByRows,                                \
        isValueOf(Diag, Unit, NonUnit, #NAME "v"), N, A, Rows, X, Step);       \
  }                                                                            \
  void BODY(NAME##m)(const char *Side, const char *Uplo, const char *Trans,    \
                     const char *Diag, const int *M, const int *N,             \
                     const REAL *Alpha, const REAL *A, const int *RowsA,       \
                     REAL *B, const int *RowsB) {                              \
    const _Bool IsLeft = isLeft(*Side, #NAME "m");                             \
    requireLegal(*M >= 0 && *N >= 0 &&                                         \
                     *RowsA >= atLeastOne(IsLeft ? *M : *N) &&                 \
                     *RowsB >= atLeastOne(*M),                                 \
                 #NAME "m");                                                   \
    BLAS(triangle)(SOLVES, IsLeft, isLower(*Uplo, #NAME "m"),                  \
                   isTransposed(*Trans, #NAME "m"), isUnit(*Diag, #NAME "m"),  \
                   *M, *N, *Alpha, A, *RowsA, B, *RowsB);                      \
  }                                                                            \
  void CBODY(NAME##m)(int Order, int Side, int Uplo, int Trans, int Diag,      \
                      int M, int N, REAL Alpha, const REAL *A, int RowsA,      \
                      REAL *B, int RowsB) {                                    \
    const _Bool ByRows = isRowMajor(Order, #NAME "m");                         \
    const _Bool IsLeft = isValueOf(Side, Left, Right, #NAME "m");              \
    requireLegal(M >= 0 && N >= 0 && RowsA >= atLeastOne(IsLeft ? M : N) &&    \
                     RowsB >= atLeastOne(ByRows ? N : M),                      \
                 #NAME "m");                                                   \
    BLAS(triangle)(SOLVES, IsLeft != ByRows,                                   \
                   isValueOf(Uplo, Lower, Upper, #NAME "m") != ByRows,         \
                   transposes(Trans, #NAME "m"),                               \
                   isValueOf(Diag, Unit, NonUnit, #NAME "m"), ByRows ? N : M,  \
                   ByRows ? M : N, Alpha, A, RowsA, B, RowsB);                 \
  }

VERSO_TRIANGULAR(trs, /*Solves=*/1)
VERSO_TRIANGULAR(trm, /*Solves=*/0)
#undef VERSO_TRIANGULAR
