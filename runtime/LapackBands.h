//===- LapackBands.h - systems of few diagonals -----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elimination with rows exchanged (gtsv, gbsv) or without (ptsv), row after
// row; what remains in A's place is LAPACK's. B has steps from row to row and
// from column to column.
//
//===----------------------------------------------------------------------===//

/// Tridiagonal: the second diagonal above comes to lie in \p Below.
static int BLAS(gtsv)(Count N, Count Columns, REAL *Below, REAL *D, REAL *Above,
                      REAL *B, Count RowB, Count ColumnB) {
  for (Count K = 0; K + 1 < N; ++K) {
    REAL *const X = B + K * RowB, *const Y = X + RowB;
    if (MATH(fabs)(D[K]) >= MATH(fabs)(Below[K])) {
      if (D[K] == 0)
        return K + 1;
      const REAL Factor = Below[K] / D[K];
      D[K + 1] -= Factor * Above[K];
      for (Count J = 0; J < Columns; ++J)
        Y[J * ColumnB] -= Factor * X[J * ColumnB];
      if (K + 2 < N)
        Below[K] = 0;
      continue;
    }
    const REAL Factor = D[K] / Below[K], Next = D[K + 1];
    D[K] = Below[K];
    D[K + 1] = Above[K] - Factor * Next;
    Above[K] = Next;
    if (K + 2 < N) {
      Below[K] = Above[K + 1];
      Above[K + 1] = -Factor * Below[K];
    }
    for (Count J = 0; J < Columns; ++J) {
      const REAL Element = X[J * ColumnB];
      X[J * ColumnB] = Y[J * ColumnB];
      Y[J * ColumnB] = Element - Factor * Y[J * ColumnB];
    }
  }
  if (N > 0 && D[N - 1] == 0)
    return N;
  for (Count J = 0; J < Columns; ++J)
    for (Count K = N; K-- > 0;) {
      REAL *const X = B + J * ColumnB + K * RowB;
      REAL Sum = *X;
      if (K + 1 < N)
        Sum -= Above[K] * X[RowB];
      if (K + 2 < N)
        Sum -= Below[K] * X[2 * RowB];
      *X = Sum / D[K];
    }
  return 0;
}

/// Symmetric, positive and tridiagonal: L D L^T.
static int BLAS(ptsv)(Count N, Count Columns, REAL *D, REAL *E, REAL *B,
                      Count RowB, Count ColumnB) {
  for (Count K = 0; K < N; ++K) {
    if (!(D[K] > 0))
      return K + 1;
    if (K + 1 == N)
      break;
    const REAL Element = E[K];
    E[K] = Element / D[K];
    D[K + 1] -= E[K] * Element;
  }
  for (Count J = 0; J < Columns; ++J) {
    REAL *const X = B + J * ColumnB;
    for (Count K = 1; K < N; ++K)
      X[K * RowB] -= E[K - 1] * X[(K - 1) * RowB];
    for (Count K = N; K-- > 0;)
      X[K * RowB] = K + 1 < N ? X[K * RowB] / D[K] - E[K] * X[(K + 1) * RowB]
                              : X[K * RowB] / D[K];
  }
  return 0;
}

/// A band of \p Lower and \p Upper diagonals; element (i, j) lies in row
/// Lower + Upper + i - j of column j, or by rows.
static int BLAS(gbsv)(Count N, Count Lower, Count Upper, Count Columns, REAL *A,
                      Count Row, Count Column, int *Pivots, REAL *B, Count RowB,
                      Count ColumnB) {
  const Count Above = Lower + Upper;
  // From one column to the next in the same row of the matrix.
  const Count Along = Column - Row;
  int Info = 0;
  // What exchanges bring above the band is zero before.
  for (Count J = Upper + 1; J < N; ++J)
    for (Count I = J > Above ? J - Above : 0; I < J - Upper; ++I)
      A[(Above + I - J) * Row + J * Column] = 0;
  Count Last = 0;
  for (Count J = 0; J < N; ++J) {
    REAL *const Diagonal = A + Above * Row + J * Column;
    const Count Below = least(Lower, N - 1 - J);
    Count At = 0;
    for (Count I = 1; I <= Below; ++I)
      if (MATH(fabs)(Diagonal[I * Row]) > MATH(fabs)(Diagonal[At * Row]))
        At = I;
    Pivots[J] = J + At + 1;
    if (Diagonal[At * Row] == 0) {
      Info = Info ? Info : J + 1;
      continue;
    }
    const Count Reached = least(J + Upper + At, N - 1);
    Last = Last > Reached ? Last : Reached;
    if (At)
      for (Count K = 0; K <= Last - J; ++K) {
        const REAL Element = Diagonal[K * Along];
        Diagonal[K * Along] = Diagonal[At * Row + K * Along];
        Diagonal[At * Row + K * Along] = Element;
      }
    for (Count I = 1; I <= Below; ++I)
      Diagonal[I * Row] /= Diagonal[0];
    for (Count K = 1; K <= Last - J; ++K)
      for (Count I = 1; I <= Below; ++I)
        Diagonal[I * Row + K * Along] -=
            Diagonal[I * Row] * Diagonal[K * Along];
  }
  if (Info)
    return Info;
  for (Count C = 0; C < Columns; ++C) {
    REAL *const X = B + C * ColumnB;
    for (Count J = 0; J < N; ++J) {
      const REAL *const Diagonal = A + Above * Row + J * Column;
      const Count At = Pivots[J] - 1, Below = least(Lower, N - 1 - J);
      const REAL Element = X[At * RowB];
      X[At * RowB] = X[J * RowB];
      X[J * RowB] = Element;
      for (Count I = 1; I <= Below; ++I)
        X[(J + I) * RowB] -= Diagonal[I * Row] * Element;
    }
    for (Count J = N; J-- > 0;) {
      const REAL *const Diagonal = A + Above * Row + J * Column;
      const Count Over = least(Above, J);
      const REAL Element = X[J * RowB] / Diagonal[0];
      X[J * RowB] = Element;
      for (Count I = 1; I <= Over; ++I)
        X[(J - I) * RowB] -= Diagonal[-I * Row] * Element;
    }
  }
  return 0;
}

void BODY(gtsv)(const int *N, const int *Columns, REAL *Below, REAL *D,
                REAL *Above, REAL *B, const int *RowsB, int *Info) {
  requireLegal(*N >= 0 && *Columns >= 0 && *RowsB >= atLeastOne(*N), "gtsv");
  *Info = BLAS(gtsv)(*N, *Columns, Below, D, Above, B, 1, *RowsB);
}
int EBODY(gtsv)(int Order, int N, int Columns, REAL *Below, REAL *D,
                REAL *Above, REAL *B, int RowsB) {
  const _Bool ByRows = isRowMajor(Order, "gtsv");
  requireLegal(N >= 0 && Columns >= 0 &&
                   RowsB >= atLeastOne(ByRows ? Columns : N),
               "gtsv");
  return BLAS(gtsv)(N, Columns, Below, D, Above, B, ByRows ? RowsB : 1,
                    ByRows ? 1 : RowsB);
}

void BODY(ptsv)(const int *N, const int *Columns, REAL *D, REAL *E, REAL *B,
                const int *RowsB, int *Info) {
  requireLegal(*N >= 0 && *Columns >= 0 && *RowsB >= atLeastOne(*N), "ptsv");
  *Info = BLAS(ptsv)(*N, *Columns, D, E, B, 1, *RowsB);
}
int EBODY(ptsv)(int Order, int N, int Columns, REAL *D, REAL *E, REAL *B,
                int RowsB) {
  const _Bool ByRows = isRowMajor(Order, "ptsv");
  requireLegal(N >= 0 && Columns >= 0 &&
                   RowsB >= atLeastOne(ByRows ? Columns : N),
               "ptsv");
  return BLAS(ptsv)(N, Columns, D, E, B, ByRows ? RowsB : 1,
                    ByRows ? 1 : RowsB);
}

void BODY(gbsv)(const int *N, const int *Lower, const int *Upper,
                const int *Columns, REAL *A, const int *Rows, int *Pivots,
                REAL *B, const int *RowsB, int *Info) {
  requireLegal(*N >= 0 && *Lower >= 0 && *Upper >= 0 && *Columns >= 0 &&
                   *Rows > 2 * *Lower + *Upper && *RowsB >= atLeastOne(*N),
               "gbsv");
  *Info = BLAS(gbsv)(*N, *Lower, *Upper, *Columns, A, 1, *Rows, Pivots, B, 1,
                     *RowsB);
}
int EBODY(gbsv)(int Order, int N, int Lower, int Upper, int Columns, REAL *A,
                int Rows, int *Pivots, REAL *B, int RowsB) {
  const _Bool ByRows = isRowMajor(Order, "gbsv");
  requireLegal(N >= 0 && Lower >= 0 && Upper >= 0 && Columns >= 0 &&
                   (ByRows ? Rows >= N : Rows > 2 * Lower + Upper) &&
                   RowsB >= atLeastOne(ByRows ? Columns : N),
               "gbsv");
  return BLAS(gbsv)(N, Lower, Upper, Columns, A, ByRows ? Rows : 1,
                    ByRows ? 1 : Rows, Pivots, B, ByRows ? RowsB : 1,
                    ByRows ? 1 : RowsB);
}
