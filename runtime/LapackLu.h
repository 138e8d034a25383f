//===- LapackLu.h - LU factors ----------------------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// P A = L U with rows exchanged, where the pivot is the first of the greatest
// magnitude. Pivots are counted from one. As in BlasTriangular.h a matrix has
// steps from row to row and from column to column.
//
//===----------------------------------------------------------------------===//

/// Exchanges rows of \p Columns columns as the pivots \p Begin to \p End say.
static void BLAS(exchangeRows)(Count Columns, REAL *A, Count Row, Count Column,
                               Count Begin, Count End, const int *Pivots) {
  for (Count I = Begin; I < End; ++I) {
    const Count Other = Pivots[I] - 1;
    if (Other != I)
      for (Count J = 0; J < Columns; ++J) {
        const REAL Element = A[I * Row + J * Column];
        A[I * Row + J * Column] = A[Other * Row + J * Column];
        A[Other * Row + J * Column] = Element;
      }
  }
}

/// The same, last ones first.
static void BLAS(exchangeBack)(Count Columns, REAL *A, Count Row, Count Column,
                               Count N, const int *Pivots) {
  for (Count I = N; I-- > 0;)
    BLAS(exchangeRows)(Columns, A, Row, Column, I, I + 1, Pivots);
}

/// The columns \p Begin to \p End of a matrix of \p M rows, without those
/// before or behind; pivots are of the whole. Returns the first zero pivot, or
/// zero.
static int BLAS(luByLoops)(Count M, Count Begin, Count End, REAL *A, Count Row,
                           Count Column, int *Pivots) {
  int Info = 0;
  for (Count J = Begin; J < End; ++J) {
    REAL *const C = A + J * Column;
    for (Count K = Begin; K < J; ++K) {
      const REAL Factor = C[K * Row];
      for (Count I = K + 1; I < M; ++I)
        C[I * Row] -= Factor * A[I * Row + K * Column];
    }
    Count At = J;
    for (Count I = J + 1; I < M; ++I)
      if (MATH(fabs)(C[I * Row]) > MATH(fabs)(C[At * Row]))
        At = I;
    Pivots[J] = At + 1;
    if (C[At * Row] == 0) {
      Info = Info ? Info : J + 1;
      continue;
    }
    BLAS(exchangeRows)(End - Begin, A + Begin * Column, Row, Column, J, J + 1,
                       Pivots);
    const REAL Pivot = C[J * Row];
    for (Count I = J + 1; I < M; ++I)
      C[I * Row] /= Pivot;
  }
  return Info;
}

static int BLAS(lu)(Count M, Count N, REAL *A, Count Row, Count Column,
                    int *Pivots) {
  const Count All = least(M, N);
  int Info = 0;
  for (Count K = 0; K < All; K += Block) {
    if (K > 0) {
      const Count Due = columnsDue(K), Before = K - Due;
      const Count Width = least(Due, All - K);
      REAL *const Diagonal = A + Before * (Row + Column);
      REAL *const Right = Diagonal + Due * Column;
      BLAS(exchangeRows)(Width, A + K * Column, Row, Column, Before, K, Pivots);
      BLAS(solve)(/*Lower=*/1, /*Unit=*/1, Due, Width, Diagonal, Row, Column,
                  Right, Row, Column);
      BLAS(update)(M - K, Width, Due, -1, Diagonal + Due * Row, Row, Column,
                   Right, Row, Column, Right + Due * Row, Row, Column);
    }
    const Count Next = least(K + Block, All);
    const int First = BLAS(luByLoops)(M, K, Next, A, Row, Column, Pivots);
    Info = Info ? Info : First;
    BLAS(exchangeRows)(K, A, Row, Column, K, Next, Pivots);
  }
  if (All < N) {
    REAL *const Right = A + All * Column;
    BLAS(exchangeRows)(N - All, Right, Row, Column, 0, All, Pivots);
    BLAS(solve)(/*Lower=*/1, /*Unit=*/1, All, N - All, A, Row, Column, Right,
                Row, Column);
  }
  return Info;
}

static void BLAS(getrs)(_Bool Transpose, Count N, Count Columns, const REAL *A,
                        Count Row, Count Column, const int *Pivots, REAL *B,
                        Count RowB, Count ColumnB) {
  if (!Transpose) {
    BLAS(exchangeRows)(Columns, B, RowB, ColumnB, 0, N, Pivots);
    BLAS(solve)(/*Lower=*/1, 1, N, Columns, A, Row, Column, B, RowB, ColumnB);
    BLAS(solve)(/*Lower=*/0, 0, N, Columns, A, Row, Column, B, RowB, ColumnB);
    return;
  }
  BLAS(solve)(/*Lower=*/1, 0, N, Columns, A, Column, Row, B, RowB, ColumnB);
  BLAS(solve)(/*Lower=*/0, 1, N, Columns, A, Column, Row, B, RowB, ColumnB);
  BLAS(exchangeBack)(Columns, B, RowB, ColumnB, N, Pivots);
}

/// The inverse in the place of L and U.
static int BLAS(getri)(Count N, REAL *A, Count Row, Count Column,
                       const int *Pivots) {
  const int Info = BLAS(zeroPivot)(N, A, Row + Column);
  if (Info)
    return Info;
  REAL *const X = BLAS(room)(N * N);
  BLAS(identity)(N, N, X);
  BLAS(getrs)(/*Transpose=*/0, N, N, A, Row, Column, Pivots, X, 1, N);
  for (Count J = 0; J < N; ++J)
    for (Count I = 0; I < N; ++I)
      A[I * Row + J * Column] = X[I + J * N];
  free(X);
  return 0;
}

void BODY(getrf)(const int *M, const int *N, REAL *A, const int *Rows,
                 int *Pivots, int *Info) {
  requireLegal(*M >= 0 && *N >= 0 && *Rows >= atLeastOne(*M), "getrf");
  *Info = BLAS(lu)(*M, *N, A, 1, *Rows, Pivots);
}
int EBODY(getrf)(int Order, int M, int N, REAL *A, int Rows, int *Pivots) {
  const _Bool ByRows = isRowMajor(Order, "getrf");
  requireLegal(M >= 0 && N >= 0 && Rows >= atLeastOne(ByRows ? N : M), "getrf");
  return BLAS(lu)(M, N, A, ByRows ? Rows : 1, ByRows ? 1 : Rows, Pivots);
}

void BODY(getrs)(const char *Trans, const int *N, const int *Columns,
                 const REAL *A, const int *RowsA, const int *Pivots, REAL *B,
                 const int *RowsB, int *Info) {
  requireLegal(*N >= 0 && *Columns >= 0 && *RowsA >= atLeastOne(*N) &&
                   *RowsB >= atLeastOne(*N),
               "getrs");
  *Info = 0;
  BLAS(getrs)(isTransposed(*Trans, "getrs"), *N, *Columns, A, 1, *RowsA, Pivots,
              B, 1, *RowsB);
}
int EBODY(getrs)(int Order, char Trans, int N, int Columns, const REAL *A,
                 int RowsA, const int *Pivots, REAL *B, int RowsB) {
  const _Bool ByRows = isRowMajor(Order, "getrs");
  requireLegal(N >= 0 && Columns >= 0 && RowsA >= atLeastOne(N) &&
                   RowsB >= atLeastOne(ByRows ? Columns : N),
               "getrs");
  BLAS(getrs)(isTransposed(Trans, "getrs"), N, Columns, A, ByRows ? RowsA : 1,
              ByRows ? 1 : RowsA, Pivots, B, ByRows ? RowsB : 1,
              ByRows ? 1 : RowsB);
  return 0;
}

void BODY(gesv)(const int *N, const int *Columns, REAL *A, const int *RowsA,
                int *Pivots, REAL *B, const int *RowsB, int *Info) {
  BODY(getrf)(N, N, A, RowsA, Pivots, Info);
  if (!*Info)
    BODY(getrs)("N", N, Columns, A, RowsA, Pivots, B, RowsB, Info);
}
int EBODY(gesv)(int Order, int N, int Columns, REAL *A, int RowsA, int *Pivots,
                REAL *B, int RowsB) {
  const int Info = EBODY(getrf)(Order, N, N, A, RowsA, Pivots);
  return Info
             ? Info
             : EBODY(getrs)(Order, 'N', N, Columns, A, RowsA, Pivots, B, RowsB);
}

void BODY(getri)(const int *N, REAL *A, const int *Rows, const int *Pivots,
                 REAL *Work, const int *Room, int *Info) {
  requireLegal(*N >= 0 && *Rows >= atLeastOne(*N), "getri");
  *Info = *Room == -1 ? 0 : BLAS(getri)(*N, A, 1, *Rows, Pivots);
  *Work = atLeastOne(*N);
}
int EBODY(getri)(int Order, int N, REAL *A, int Rows, const int *Pivots) {
  const _Bool ByRows = isRowMajor(Order, "getri");
  requireLegal(N >= 0 && Rows >= atLeastOne(N), "getri");
  return BLAS(getri)(N, A, ByRows ? Rows : 1, ByRows ? 1 : Rows, Pivots);
}
