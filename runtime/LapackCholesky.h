//===- LapackCholesky.h - Cholesky factors ----------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A = L L^T, where L is the lower triangle of a matrix with steps from row to
// row and from column to column; an upper one, and one by rows, has them
// exchanged. The other triangle is neither read nor written.
//
//===----------------------------------------------------------------------===//

/// Returns the order of the first leading minor that is not positive, or zero.
/// To Eigen that is none of a NaN, and it leaves the pivot as it was.
/// One store for each element: what is overwritten is kept for the way back.
static int BLAS(choleskyByLoops)(_Bool AsEigen, Count N, REAL *A, Count Row,
                                 Count Column) {
  for (Count J = 0; J < N; ++J) {
    REAL Square = 0;
    for (Count K = 0; K < J; ++K) {
      const REAL Element = A[J * Row + K * Column];
      Square = BLAS(plusProduct)(Square, Element, Element);
    }
    Square = A[J * (Row + Column)] - Square;
    if (AsEigen && Square <= 0)
      return J + 1;
    if (!AsEigen && !(Square > 0)) {
      A[J * (Row + Column)] = Square;
      return J + 1;
    }
    const REAL Pivot = MATH(sqrt)(Square);
    A[J * (Row + Column)] = Pivot;
    for (Count I = J + 1; I < N; ++I) {
      REAL Sum = 0;
      for (Count K = 0; K < J; ++K)
        Sum = BLAS(plusProduct)(Sum, A[I * Row + K * Column],
                                A[J * Row + K * Column]);
      A[I * Row + J * Column] = (A[I * Row + J * Column] - Sum) / Pivot;
    }
  }
  return 0;
}

static int BLAS(cholesky)(_Bool AsEigen, Count N, REAL *A, Count Row,
                          Count Column) {
  const _Bool Turned = Row != 1;
  const Count Rows = Turned ? Row : Column;
  for (Count K = 0; K < N; K += Block) {
    REAL *const Diagonal = A + K * (Row + Column);
    if (K > 0) {
      const Count Due = columnsDue(K), Width = least(Due, N - K);
      const REAL *const Before = Diagonal - Due * Column;
      BLAS(addTriangle)(!Turned, Turned, !Turned, Width, Due, -1, Before, Rows,
                        Before, Rows, Diagonal, Rows);
      if (K + Width < N)
        BLAS(update)(N - K - Width, Width, Due, -1, Before + Width * Row, Row,
                     Column, Before, Column, Row, Diagonal + Width * Row, Row,
                     Column);
    }
    const Count Size = least(Block, N - K);
    const int Info =
        BLAS(choleskyByLoops)(AsEigen, Size, Diagonal, Row, Column);
    if (Info)
      return K + Info;
    // From the right by L^T: L times the transposed one.
    BLAS(solveByLoops)(/*Unit=*/0, Size, N - K - Size, Diagonal, Row, Column,
                       Diagonal + Size * Row, Column, Row);
  }
  return 0;
}

static void BLAS(potrs)(Count N, Count Columns, const REAL *A, Count Row,
                        Count Column, REAL *B, Count RowB, Count ColumnB) {
  BLAS(solve)(/*Lower=*/1, 0, N, Columns, A, Row, Column, B, RowB, ColumnB);
  BLAS(solve)(/*Lower=*/0, 0, N, Columns, A, Column, Row, B, RowB, ColumnB);
}

void BODY(potrf)(const char *Uplo, const int *N, REAL *A, const int *Rows,
                 int *Info) {
  const _Bool Turned = !isLower(*Uplo, "potrf");
  requireLegal(*N >= 0 && *Rows >= atLeastOne(*N), "potrf");
  *Info = BLAS(cholesky)(/*AsEigen=*/0, *N, A, Turned ? *Rows : 1,
                         Turned ? 1 : *Rows);
}
int EBODY(potrf)(int Order, char Uplo, int N, REAL *A, int Rows) {
  const _Bool Turned = isRowMajor(Order, "potrf") == isLower(Uplo, "potrf");
  requireLegal(N >= 0 && Rows >= atLeastOne(N), "potrf");
  return BLAS(cholesky)(/*AsEigen=*/0, N, A, Turned ? Rows : 1,
                        Turned ? 1 : Rows);
}

void BODY(potrs)(const char *Uplo, const int *N, const int *Columns,
                 const REAL *A, const int *RowsA, REAL *B, const int *RowsB,
                 int *Info) {
  const _Bool Turned = !isLower(*Uplo, "potrs");
  requireLegal(*N >= 0 && *Columns >= 0 && *RowsA >= atLeastOne(*N) &&
                   *RowsB >= atLeastOne(*N),
               "potrs");
  *Info = 0;
  BLAS(potrs)(*N, *Columns, A, Turned ? *RowsA : 1, Turned ? 1 : *RowsA, B, 1,
              *RowsB);
}
int EBODY(potrs)(int Order, char Uplo, int N, int Columns, const REAL *A,
                 int RowsA, REAL *B, int RowsB) {
  const _Bool ByRows = isRowMajor(Order, "potrs");
  const _Bool Turned = ByRows == isLower(Uplo, "potrs");
  requireLegal(N >= 0 && Columns >= 0 && RowsA >= atLeastOne(N) &&
                   RowsB >= atLeastOne(ByRows ? Columns : N),
               "potrs");
  BLAS(potrs)(N, Columns, A, Turned ? RowsA : 1, Turned ? 1 : RowsA, B,
              ByRows ? RowsB : 1, ByRows ? 1 : RowsB);
  return 0;
}

void BODY(posv)(const char *Uplo, const int *N, const int *Columns, REAL *A,
                const int *RowsA, REAL *B, const int *RowsB, int *Info) {
  BODY(potrf)(Uplo, N, A, RowsA, Info);
  if (!*Info)
    BODY(potrs)(Uplo, N, Columns, A, RowsA, B, RowsB, Info);
}
int EBODY(posv)(int Order, char Uplo, int N, int Columns, REAL *A, int RowsA,
                REAL *B, int RowsB) {
  const int Info = EBODY(potrf)(Order, Uplo, N, A, RowsA);
  return Info ? Info
              : EBODY(potrs)(Order, Uplo, N, Columns, A, RowsA, B, RowsB);
}

static int BLAS(potri)(_Bool Turned, Count N, REAL *A, Count Rows) {
  const int Info = BLAS(zeroPivot)(N, A, Rows + 1);
  if (!Info)
    BLAS(invert)(/*OfProduct=*/1, /*Unit=*/0, N, A, Turned ? Rows : 1,
                 Turned ? 1 : Rows);
  return Info;
}

void BODY(potri)(const char *Uplo, const int *N, REAL *A, const int *Rows,
                 int *Info) {
  requireLegal(*N >= 0 && *Rows >= atLeastOne(*N), "potri");
  *Info = BLAS(potri)(!isLower(*Uplo, "potri"), *N, A, *Rows);
}
int EBODY(potri)(int Order, char Uplo, int N, REAL *A, int Rows) {
  requireLegal(N >= 0 && Rows >= atLeastOne(N), "potri");
  return BLAS(potri)(isRowMajor(Order, "potri") == isLower(Uplo, "potri"), N, A,
                     Rows);
}
