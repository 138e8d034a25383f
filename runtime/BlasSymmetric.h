//===- BlasSymmetric.h - symmetric matrices ---------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a symmetric matrix one triangle is read and written; the derivatives of
// the other are zero. As in BlasTriangular.h a matrix has steps from row to row
// and from column to column where it may be transposed.
//
//===----------------------------------------------------------------------===//

/// y += alpha A x.
static void BLAS(addSymv)(_Bool Lower, Count N, REAL Alpha,
                          const REAL *restrict A, Count Rows,
                          const REAL *restrict X, Count StepX, REAL *restrict Y,
                          Count StepY) {
  for (Count J = 0; J < N; ++J) {
    const REAL Factor = Alpha * X[J * StepX];
    REAL Sum = A[J + J * Rows] * X[J * StepX];
    const Count Begin = Lower ? J + 1 : 0, End = Lower ? N : J;
    for (Count I = Begin; I < End; ++I) {
      Y[I * StepY] += Factor * A[I + J * Rows];
      Sum = BLAS(plusProduct)(Sum, A[I + J * Rows], X[I * StepX]);
    }
    Y[J * StepY] += Alpha * Sum;
  }
}

/// y = alpha A x + beta y.
static void BLAS(symv)(_Bool Lower, Count N, REAL Alpha, const REAL *A,
                       Count Rows, const REAL *X, Count StepX, REAL Beta,
                       REAL *Y, Count StepY) {
  X += firstOf(N, StepX);
  Y += firstOf(N, StepY);
  BLAS(scaled)(N, Beta, Y, StepY);
  BLAS(addSymv)(Lower, N, Alpha, A, Rows, X, StepX, Y, StepY);
}

/// A += alpha x y^T.
static void BLAS(addOuter)(_Bool Lower, Count N, REAL Alpha,
                           const REAL *restrict X, Count StepX,
                           const REAL *restrict Y, Count StepY,
                           REAL *restrict A, Count Rows) {
  X += firstOf(N, StepX);
  Y += firstOf(N, StepY);
  for (Count J = 0; J < N; ++J) {
    const REAL Factor = Alpha * Y[J * StepY];
    const Count Begin = Lower ? J : 0, End = Lower ? N : J + 1;
    for (Count I = Begin; I < End; ++I)
      A[I + J * Rows] += Factor * X[I * StepX];
  }
}

/// C += alpha A B by loops, where A has \p N rows and its
/// lower triangle is read.
static void BLAS(symmetricByLoops)(Count N, Count Columns, REAL Alpha,
                                   const REAL *restrict A, Count RowA,
                                   Count ColumnA, const REAL *restrict B,
                                   Count RowB, Count ColumnB, REAL *restrict C,
                                   Count RowC, Count ColumnC) {
  for (Count J = 0; J < Columns; ++J)
    for (Count K = 0; K < N; ++K) {
      const REAL Factor = Alpha * B[K * RowB + J * ColumnB];
      REAL Sum = A[K * (RowA + ColumnA)] * B[K * RowB + J * ColumnB];
      for (Count I = K + 1; I < N; ++I) {
        const REAL Element = A[I * RowA + K * ColumnA];
        C[I * RowC + J * ColumnC] += Factor * Element;
        Sum = BLAS(plusProduct)(Sum, Element, B[I * RowB + J * ColumnB]);
      }
      C[K * RowC + J * ColumnC] += Alpha * Sum;
    }
}

/// C += alpha A B, where A has \p N rows and its lower triangle is read.
static void BLAS(addSymmetric)(Count N, Count Columns, REAL Alpha,
                               const REAL *A, Count RowA, Count ColumnA,
                               const REAL *B, Count RowB, Count ColumnB,
                               REAL *C, Count RowC, Count ColumnC) {
  for (Count K = 0; K < N; K += Block) {
    if (K > 0) {
      const Count Due = columnsDue(K), Before = K - Due;
      const Count Width = least(Due, N - K);
      const REAL *const Below = A + K * RowA + Before * ColumnA;
      BLAS(update)(Width, Columns, Due, Alpha, Below, RowA, ColumnA,
                   B + Before * RowB, RowB, ColumnB, C + K * RowC, RowC,
                   ColumnC);
      BLAS(update)(Due, Columns, Width, Alpha, Below, ColumnA, RowA,
                   B + K * RowB, RowB, ColumnB, C + Before * RowC, RowC,
                   ColumnC);
    }
    BLAS(symmetricByLoops)(
        least(Block, N - K), Columns, Alpha, A + K * (RowA + ColumnA), RowA,
        ColumnA, B + K * RowB, RowB, ColumnB, C + K * RowC, RowC, ColumnC);
  }
}

/// C = alpha A B + beta C, or C = alpha B A + beta C, where C has \p M rows.
static void BLAS(symm)(_Bool Left, _Bool Lower, Count M, Count N, REAL Alpha,
                       const REAL *A, Count RowsA, const REAL *B, Count RowsB,
                       REAL Beta, REAL *C, Count RowsC) {
  BLAS(scaledColumns)(M, N, Beta, C, RowsC);
  BLAS(addSymmetric)(Left ? M : N, Left ? N : M, Alpha, A, Lower ? 1 : RowsA,
                     Lower ? RowsA : 1, B, Left ? 1 : RowsB, Left ? RowsB : 1,
                     C, Left ? 1 : RowsC, Left ? RowsC : 1);
}

/// The triangle of C += alpha op(A) op(B)^T by loops.
static void BLAS(addTriangleByLoops)(_Bool Lower, _Bool Transpose, Count N,
                                     Count K, REAL Alpha,
                                     const REAL *restrict A, Count RowsA,
                                     const REAL *restrict B, Count RowsB,
                                     REAL *restrict C, Count RowsC) {
  for (Count J = 0; J < N; ++J) {
    const Count Begin = Lower ? J : 0, End = Lower ? N : J + 1;
    if (Transpose) {
      for (Count I = Begin; I < End; ++I) {
        REAL Sum = 0;
        for (Count L = 0; L < K; ++L)
          Sum = BLAS(plusProduct)(Sum, A[L + I * RowsA], B[L + J * RowsB]);
        C[I + J * RowsC] += Alpha * Sum;
      }
      continue;
    }
    for (Count L = 0; L < K; ++L) {
      const REAL Factor = Alpha * B[J + L * RowsB];
      for (Count I = Begin; I < End; ++I)
        C[I + J * RowsC] += Factor * A[I + L * RowsA];
    }
  }
}

/// The triangle of C += alpha op(A) op(B) of a block, whose many terms are a
/// product of their own.
static void BLAS(addTriangleOfBlock)(_Bool Lower, _Bool TransA, _Bool TransB,
                                     Count N, Count K, REAL Alpha,
                                     const REAL *A, Count RowsA, const REAL *B,
                                     Count RowsB, REAL *C, Count RowsC) {
  if (K <= Block && TransA != TransB) {
    BLAS(addTriangleByLoops)(Lower, TransA, N, K, Alpha, A, RowsA, B, RowsB, C,
                             RowsC);
    return;
  }
  REAL Square[Block * Block];
  for (Count I = 0; I < N * N; ++I)
    Square[I] = 0;
  BLAS(product)(TransA, TransB, N, N, K, Alpha, A, RowsA, B, RowsB, Square, N);
  for (Count J = 0; J < N; ++J) {
    const Count Begin = Lower ? J : 0, End = Lower ? N : J + 1;
    for (Count I = Begin; I < End; ++I)
      C[I + J * RowsC] += Square[I + J * N];
  }
}

/// The triangle of C += alpha op(A) op(B), where C has \p N rows, and sums \p K
/// terms.
static void BLAS(addTriangle)(_Bool Lower, _Bool TransA, _Bool TransB, Count N,
                              Count K, REAL Alpha, const REAL *A, Count RowsA,
                              const REAL *B, Count RowsB, REAL *C,
                              Count RowsC) {
  const Count StepA = TransA ? RowsA : 1, StepB = TransB ? 1 : RowsB;
  for (Count J = 0; J < N; J += Block) {
    if (J > 0) {
      const Count Due = columnsDue(J), Before = J - Due;
      const Count Width = least(Due, N - J);
      const Count Row = Lower ? J : Before, Column = Lower ? Before : J;
      BLAS(product)(TransA, TransB, Lower ? Width : Due, Lower ? Due : Width, K,
                    Alpha, A + Row * StepA, RowsA, B + Column * StepB, RowsB,
                    C + Row + Column * RowsC, RowsC);
    }
    BLAS(addTriangleOfBlock)(Lower, TransA, TransB, least(Block, N - J), K,
                             Alpha, A + J * StepA, RowsA, B + J * StepB, RowsB,
                             C + J + J * RowsC, RowsC);
  }
}

static void BLAS(scaledTriangle)(_Bool Lower, Count N, REAL Beta, REAL *C,
                                 Count RowsC) {
  for (Count J = 0; J < N; ++J)
    BLAS(scaled)(Lower ? N - J : J + 1, Beta, C + J * RowsC + (Lower ? J : 0),
                 1);
}

static void BLAS(syrk)(_Bool Lower, _Bool Transpose, Count N, Count K,
                       REAL Alpha, const REAL *A, Count RowsA, REAL Beta,
                       REAL *C, Count RowsC) {
  BLAS(scaledTriangle)(Lower, N, Beta, C, RowsC);
  BLAS(addTriangle)(Lower, Transpose, !Transpose, N, K, Alpha, A, RowsA, A,
                    RowsA, C, RowsC);
}

static void BLAS(syr2k)(_Bool Lower, _Bool Transpose, Count N, Count K,
                        REAL Alpha, const REAL *A, Count RowsA, const REAL *B,
                        Count RowsB, REAL Beta, REAL *C, Count RowsC) {
  BLAS(scaledTriangle)(Lower, N, Beta, C, RowsC);
  BLAS(addTriangle)(Lower, Transpose, !Transpose, N, K, Alpha, A, RowsA, B,
                    RowsB, C, RowsC);
  BLAS(addTriangle)(Lower, Transpose, !Transpose, N, K, Alpha, B, RowsB, A,
                    RowsA, C, RowsC);
}

void BODY(symv)(const char *Uplo, const int *N, const REAL *Alpha,
                const REAL *A, const int *Rows, const REAL *X, const int *StepX,
                const REAL *Beta, REAL *Y, const int *StepY) {
  requireLegal(*N >= 0 && *Rows >= atLeastOne(*N) && *StepX && *StepY, "symv");
  BLAS(symv)(isLower(*Uplo, "symv"), *N, *Alpha, A, *Rows, X, *StepX, *Beta, Y,
             *StepY);
}
void CBODY(symv)(int Order, int Uplo, int N, REAL Alpha, const REAL *A,
                 int Rows, const REAL *X, int StepX, REAL Beta, REAL *Y,
                 int StepY) {
  const _Bool ByRows = isRowMajor(Order, "symv");
  requireLegal(N >= 0 && Rows >= atLeastOne(N) && StepX && StepY, "symv");
  BLAS(symv)(isValueOf(Uplo, Lower, Upper, "symv") != ByRows, N, Alpha, A, Rows,
             X, StepX, Beta, Y, StepY);
}

void BODY(syr)(const char *Uplo, const int *N, const REAL *Alpha, const REAL *X,
               const int *Step, REAL *A, const int *Rows) {
  requireLegal(*N >= 0 && *Rows >= atLeastOne(*N) && *Step, "syr");
  BLAS(addOuter)(isLower(*Uplo, "syr"), *N, *Alpha, X, *Step, X, *Step, A,
                 *Rows);
}
void CBODY(syr)(int Order, int Uplo, int N, REAL Alpha, const REAL *X, int Step,
                REAL *A, int Rows) {
  const _Bool ByRows = isRowMajor(Order, "syr");
  requireLegal(N >= 0 && Rows >= atLeastOne(N) && Step, "syr");
  BLAS(addOuter)(isValueOf(Uplo, Lower, Upper, "syr") != ByRows, N, Alpha, X,
                 Step, X, Step, A, Rows);
}

void BODY(syr2)(const char *Uplo, const int *N, const REAL *Alpha,
                const REAL *X, const int *StepX, const REAL *Y,
                const int *StepY, REAL *A, const int *Rows) {
  requireLegal(*N >= 0 && *Rows >= atLeastOne(*N) && *StepX && *StepY, "syr2");
  const _Bool IsLower = isLower(*Uplo, "syr2");
  BLAS(addOuter)(IsLower, *N, *Alpha, X, *StepX, Y, *StepY, A, *Rows);
  BLAS(addOuter)(IsLower, *N, *Alpha, Y, *StepY, X, *StepX, A, *Rows);
}
void CBODY(syr2)(int Order, int Uplo, int N, REAL Alpha, const REAL *X,
                 int StepX, const REAL *Y, int StepY, REAL *A, int Rows) {
  const _Bool ByRows = isRowMajor(Order, "syr2");
  requireLegal(N >= 0 && Rows >= atLeastOne(N) && StepX && StepY, "syr2");
  const _Bool IsLower = isValueOf(Uplo, Lower, Upper, "syr2") != ByRows;
  BLAS(addOuter)(IsLower, N, Alpha, X, StepX, Y, StepY, A, Rows);
  BLAS(addOuter)(IsLower, N, Alpha, Y, StepY, X, StepX, A, Rows);
}

void BODY(symm)(const char *Side, const char *Uplo, const int *M, const int *N,
                const REAL *Alpha, const REAL *A, const int *RowsA,
                const REAL *B, const int *RowsB, const REAL *Beta, REAL *C,
                const int *RowsC) {
  const _Bool IsLeft = isLeft(*Side, "symm");
  requireLegal(*M >= 0 && *N >= 0 && *RowsA >= atLeastOne(IsLeft ? *M : *N) &&
                   *RowsB >= atLeastOne(*M) && *RowsC >= atLeastOne(*M),
               "symm");
  BLAS(symm)(IsLeft, isLower(*Uplo, "symm"), *M, *N, *Alpha, A, *RowsA, B,
             *RowsB, *Beta, C, *RowsC);
}
void CBODY(symm)(int Order, int Side, int Uplo, int M, int N, REAL Alpha,
                 const REAL *A, int RowsA, const REAL *B, int RowsB, REAL Beta,
                 REAL *C, int RowsC) {
  const _Bool ByRows = isRowMajor(Order, "symm");
  const _Bool IsLeft = isValueOf(Side, Left, Right, "symm");
  requireLegal(M >= 0 && N >= 0 && RowsA >= atLeastOne(IsLeft ? M : N) &&
                   RowsB >= atLeastOne(ByRows ? N : M) &&
                   RowsC >= atLeastOne(ByRows ? N : M),
               "symm");
  BLAS(symm)(IsLeft != ByRows, isValueOf(Uplo, Lower, Upper, "symm") != ByRows,
             ByRows ? N : M, ByRows ? M : N, Alpha, A, RowsA, B, RowsB, Beta, C,
             RowsC);
}

void BODY(syrk)(const char *Uplo, const char *Trans, const int *N, const int *K,
                const REAL *Alpha, const REAL *A, const int *RowsA,
                const REAL *Beta, REAL *C, const int *RowsC) {
  const _Bool Transpose = isTransposed(*Trans, "syrk");
  requireLegal(*N >= 0 && *K >= 0 &&
                   *RowsA >= atLeastOne(Transpose ? *K : *N) &&
                   *RowsC >= atLeastOne(*N),
               "syrk");
  BLAS(syrk)(isLower(*Uplo, "syrk"), Transpose, *N, *K, *Alpha, A, *RowsA,
             *Beta, C, *RowsC);
}
void CBODY(syrk)(int Order, int Uplo, int Trans, int N, int K, REAL Alpha,
                 const REAL *A, int RowsA, REAL Beta, REAL *C, int RowsC) {
  const _Bool ByRows = isRowMajor(Order, "syrk");
  const _Bool Transpose = transposes(Trans, "syrk") != ByRows;
  requireLegal(N >= 0 && K >= 0 && RowsA >= atLeastOne(Transpose ? K : N) &&
                   RowsC >= atLeastOne(N),
               "syrk");
  BLAS(syrk)(isValueOf(Uplo, Lower, Upper, "syrk") != ByRows, Transpose, N, K,
             Alpha, A, RowsA, Beta, C, RowsC);
}

void BODY(syr2k)(const char *Uplo, const char *Trans, const int *N,
                 const int *K, const REAL *Alpha, const REAL *A,
                 const int *RowsA, const REAL *B, const int *RowsB,
                 const REAL *Beta, REAL *C, const int *RowsC) {
  const _Bool Transpose = isTransposed(*Trans, "syr2k");
  const Count Rows = atLeastOne(Transpose ? *K : *N);
  requireLegal(*N >= 0 && *K >= 0 && *RowsA >= Rows && *RowsB >= Rows &&
                   *RowsC >= atLeastOne(*N),
               "syr2k");
  BLAS(syr2k)(isLower(*Uplo, "syr2k"), Transpose, *N, *K, *Alpha, A, *RowsA, B,
              *RowsB, *Beta, C, *RowsC);
}
void CBODY(syr2k)(int Order, int Uplo, int Trans, int N, int K, REAL Alpha,
                  const REAL *A, int RowsA, const REAL *B, int RowsB, REAL Beta,
                  REAL *C, int RowsC) {
  const _Bool ByRows = isRowMajor(Order, "syr2k");
  const _Bool Transpose = transposes(Trans, "syr2k") != ByRows;
  const Count Rows = atLeastOne(Transpose ? K : N);
  requireLegal(N >= 0 && K >= 0 && RowsA >= Rows && RowsB >= Rows &&
                   RowsC >= atLeastOne(N),
               "syr2k");
  BLAS(syr2k)(isValueOf(Uplo, Lower, Upper, "syr2k") != ByRows, Transpose, N, K,
              Alpha, A, RowsA, B, RowsB, Beta, C, RowsC);
}
