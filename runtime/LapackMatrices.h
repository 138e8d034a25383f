//===- LapackMatrices.h - copies, fillings and norms ------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices lie by columns; one by rows is the transposed one, whose upper part
// is the lower one.
//
//===----------------------------------------------------------------------===//

static void BLAS(lacpy)(enum Part Part, Count M, Count N, const REAL *A,
                        Count RowsA, REAL *B, Count RowsB) {
  for (Count J = 0; J < N; ++J) {
    const Count End = partEnd(Part, J, M);
    for (Count I = partBegin(Part, J); I < End; ++I)
      B[I + J * RowsB] = A[I + J * RowsA];
  }
}

static void BLAS(laset)(enum Part Part, Count M, Count N, REAL Others,
                        REAL Diagonal, REAL *A, Count Rows) {
  for (Count J = 0; J < N; ++J) {
    const Count End = partEnd(Part, J, M);
    for (Count I = partBegin(Part, J); I < End; ++I)
      A[I + J * Rows] = I == J ? Diagonal : Others;
  }
}

/// No number is larger than any.
static REAL BLAS(larger)(REAL A, REAL B) { return A < B || B != B ? B : A; }

/// As nrm2 of all columns.
static REAL BLAS(frobenius)(Count M, Count N, const REAL *A, Count Rows) {
  REAL Factor = 1, Sum = 0;
  for (Count J = 0; J < N; ++J)
    Sum += BLAS(sumOfSquares)(M, 1, A + J * Rows, 1);
  if (Sum < TINY || Sum > HUGE) {
    Factor = Sum < TINY ? UP : 1 / UP;
    Sum = 0;
    for (Count J = 0; J < N; ++J)
      Sum += BLAS(sumOfSquares)(M, Factor, A + J * Rows, 1);
    if (Sum == 0)
      return 0;
  }
  return MATH(sqrt)(Sum) / Factor;
}

/// The largest sum of magnitudes along a column, or along a row.
static REAL BLAS(largestSum)(Count M, Count N, const REAL *A, Count Row,
                             Count Column) {
  REAL Value = 0;
  for (Count J = 0; J < N; ++J) {
    REAL Sum = 0;
    for (Count I = 0; I < M; ++I)
      Sum = BLAS(plusProduct)(Sum, 1, MATH(fabs)(A[I * Row + J * Column]));
    Value = BLAS(larger)(Value, Sum);
  }
  return Value;
}

static REAL BLAS(lange)(char Norm, _Bool ByRows, Count M, Count N,
                        const REAL *A, Count Rows) {
  if (isLetter(Norm, 'F') || isLetter(Norm, 'E'))
    return BLAS(frobenius)(M, N, A, Rows);
  if (isLetter(Norm, 'M')) {
    REAL Value = 0;
    for (Count J = 0; J < N; ++J)
      for (Count I = 0; I < M; ++I)
        Value = BLAS(larger)(Value, MATH(fabs)(A[I + J * Rows]));
    return Value;
  }
  const _Bool OfColumns = Norm == '1' || isLetter(Norm, 'O');
  requireLegal(OfColumns || isLetter(Norm, 'I'), "lange");
  return OfColumns != ByRows ? BLAS(largestSum)(M, N, A, 1, Rows)
                             : BLAS(largestSum)(N, M, A, Rows, 1);
}

void BODY(lacpy)(const char *Uplo, const int *M, const int *N, const REAL *A,
                 const int *RowsA, REAL *B, const int *RowsB) {
  BLAS(lacpy)(partOf(*Uplo, 0), *M, *N, A, *RowsA, B, *RowsB);
}
int EBODY(lacpy)(int Order, char Uplo, int M, int N, const REAL *A, int RowsA,
                 REAL *B, int RowsB) {
  const _Bool ByRows = isRowMajor(Order, "lacpy");
  requireLegal(RowsA >= atLeastOne(ByRows ? N : M) &&
                   RowsB >= atLeastOne(ByRows ? N : M),
               "lacpy");
  BLAS(lacpy)(partOf(Uplo, ByRows), ByRows ? N : M, ByRows ? M : N, A, RowsA, B,
              RowsB);
  return 0;
}

void BODY(laset)(const char *Uplo, const int *M, const int *N,
                 const REAL *Others, const REAL *Diagonal, REAL *A,
                 const int *Rows) {
  BLAS(laset)(partOf(*Uplo, 0), *M, *N, *Others, *Diagonal, A, *Rows);
}
int EBODY(laset)(int Order, char Uplo, int M, int N, REAL Others, REAL Diagonal,
                 REAL *A, int Rows) {
  const _Bool ByRows = isRowMajor(Order, "laset");
  requireLegal(Rows >= atLeastOne(ByRows ? N : M), "laset");
  BLAS(laset)(partOf(Uplo, ByRows), ByRows ? N : M, ByRows ? M : N, Others,
              Diagonal, A, Rows);
  return 0;
}

REAL BODY(lange)(const char *Norm, const int *M, const int *N, const REAL *A,
                 const int *Rows, REAL *Work) {
  (void)Work;
  return BLAS(lange)(*Norm, 0, *M, *N, A, *Rows);
}
REAL EBODY(lange)(int Order, char Norm, int M, int N, const REAL *A, int Rows) {
  const _Bool ByRows = isRowMajor(Order, "lange");
  requireLegal(Rows >= atLeastOne(ByRows ? N : M), "lange");
  return BLAS(lange)(Norm, ByRows, ByRows ? N : M, ByRows ? M : N, A, Rows);
}
