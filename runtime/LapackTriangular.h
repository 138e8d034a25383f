//===- LapackTriangular.h - systems and inverses of triangles ---*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As in BlasTriangular.h a matrix has steps from row to row and from column to
// column: LAPACKE's, which may lie by rows, are not copied.
//
//===----------------------------------------------------------------------===//

/// The first zero on the diagonal, counted from one, or zero.
static int BLAS(zeroPivot)(Count N, const REAL *A, Count Step) {
  for (Count I = 0; I < N; ++I)
    if (A[I * Step] == 0)
      return I + 1;
  return 0;
}

static REAL *BLAS(room)(Count N) {
  REAL *At = malloc(atLeastOne(N) * sizeof(REAL));
  if (!At)
    __verso_fail("no memory for the work of a LAPACK function", "");
  return At;
}

/// X = 1, with \p N rows.
static void BLAS(identity)(Count N, Count Columns, REAL *X) {
  for (Count J = 0; J < Columns; ++J)
    for (Count I = 0; I < N; ++I)
      X[I + J * N] = I == J;
}

/// The lower triangle of L^-1, or of (L L^T)^-1, in the place of L. A block of
/// columns needs what is to its right, and is needed no more.
static void BLAS(invert)(_Bool OfProduct, _Bool Unit, Count N, REAL *A,
                         Count Row, Count Column) {
  for (Count K = 0; K < N; K += Block) {
    const Count Size = least(Block, N - K), Rest = N - K;
    REAL *const L = A + K * (Row + Column);
    REAL *const X = BLAS(room)(Rest * Size);
    BLAS(identity)(Rest, Size, X);
    BLAS(solve)(/*Lower=*/1, Unit, Rest, Size, L, Row, Column, X, 1, Rest);
    if (OfProduct)
      BLAS(solve)(/*Lower=*/0, Unit, Rest, Size, L, Column, Row, X, 1, Rest);
    for (Count J = 0; J < Size; ++J)
      for (Count I = J + Unit; I < Rest; ++I)
        L[I * Row + J * Column] = X[I + J * Rest];
    free(X);
  }
}

static int BLAS(trtri)(_Bool Turned, _Bool Unit, Count N, REAL *A, Count Rows) {
  const int Info = Unit ? 0 : BLAS(zeroPivot)(N, A, Rows + 1);
  if (!Info)
    BLAS(invert)(/*OfProduct=*/0, Unit, N, A, Turned ? Rows : 1,
                 Turned ? 1 : Rows);
  return Info;
}

static int BLAS(trtrs)(_Bool ByRows, _Bool Lower, _Bool Transpose, _Bool Unit,
                       Count N, Count Columns, const REAL *A, Count RowsA,
                       REAL *B, Count RowsB) {
  const int Info = Unit ? 0 : BLAS(zeroPivot)(N, A, RowsA + 1);
  const _Bool Turned = Transpose != ByRows;
  if (!Info)
    BLAS(solve)(Lower != Transpose, Unit, N, Columns, A, Turned ? RowsA : 1,
                Turned ? 1 : RowsA, B, ByRows ? RowsB : 1, ByRows ? 1 : RowsB);
  return Info;
}

void BODY(trtri)(const char *Uplo, const char *Diag, const int *N, REAL *A,
                 const int *Rows, int *Info) {
  requireLegal(*N >= 0 && *Rows >= atLeastOne(*N), "trtri");
  *Info = BLAS(trtri)(!isLower(*Uplo, "trtri"), isUnit(*Diag, "trtri"), *N, A,
                      *Rows);
}
int EBODY(trtri)(int Order, char Uplo, char Diag, int N, REAL *A, int Rows) {
  const _Bool ByRows = isRowMajor(Order, "trtri");
  requireLegal(N >= 0 && Rows >= atLeastOne(N), "trtri");
  return BLAS(trtri)(isLower(Uplo, "trtri") == ByRows, isUnit(Diag, "trtri"), N,
                     A, Rows);
}

void BODY(trtrs)(const char *Uplo, const char *Trans, const char *Diag,
                 const int *N, const int *Columns, const REAL *A,
                 const int *RowsA, REAL *B, const int *RowsB, int *Info) {
  requireLegal(*N >= 0 && *Columns >= 0 && *RowsA >= atLeastOne(*N) &&
                   *RowsB >= atLeastOne(*N),
               "trtrs");
  *Info =
      BLAS(trtrs)(0, isLower(*Uplo, "trtrs"), isTransposed(*Trans, "trtrs"),
                  isUnit(*Diag, "trtrs"), *N, *Columns, A, *RowsA, B, *RowsB);
}
int EBODY(trtrs)(int Order, char Uplo, char Trans, char Diag, int N,
                 int Columns, const REAL *A, int RowsA, REAL *B, int RowsB) {
  const _Bool ByRows = isRowMajor(Order, "trtrs");
  requireLegal(N >= 0 && Columns >= 0 && RowsA >= atLeastOne(N) &&
                   RowsB >= atLeastOne(ByRows ? Columns : N),
               "trtrs");
  return BLAS(trtrs)(ByRows, isLower(Uplo, "trtrs"),
                     isTransposed(Trans, "trtrs"), isUnit(Diag, "trtrs"), N,
                     Columns, A, RowsA, B, RowsB);
}
