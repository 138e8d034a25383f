//===- LapackQr.h - QR factors, least squares -------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A = Q R by reflectors H = 1 - tau v v^T: R is the upper triangle, each v lies
// below its diagonal, where it is one. As in BlasTriangular.h a matrix has
// steps from row to row and from column to column; A = L Q is A^T = Q^T L^T.
//
// Many columns are reflected by a block of reflectors at once, Q = 1 - V T V^T
// (Schreiber and Van Loan 1989), few of them one by one.
//
//===----------------------------------------------------------------------===//

/// H (alpha; x) = (beta; 0), where beta takes the place of alpha and v that of
/// x. Where x is zero already nothing is reflected, so that the derivative by x
/// is zero there.
static REAL BLAS(reflector)(Count N, REAL *Alpha, REAL *X, Count Step) {
  const REAL Norm = N > 0 ? BLAS(nrm2)(N, X, Step) : 0;
  if (Norm == 0)
    return 0;
  const REAL Length = MATH(hypot)(*Alpha, Norm);
  const REAL First = *Alpha, Beta = First < 0 ? Length : -Length;
  for (Count I = 0; I < N; ++I)
    X[I * Step] /= First - Beta;
  *Alpha = Beta;
  return (Beta - First) / Beta;
}

/// C = H C, where \p V is what is below the one.
static void BLAS(reflect)(Count M, Count N, REAL Tau, const REAL *V, Count Step,
                          REAL *C, Count Row, Count Column) {
  for (Count J = 0; J < N; ++J) {
    REAL *const X = C + J * Column;
    REAL Sum = X[0];
    for (Count I = 1; I < M; ++I)
      Sum = BLAS(plusProduct)(Sum, V[(I - 1) * Step], X[I * Row]);
    const REAL Factor = Tau * Sum;
    X[0] -= Factor;
    for (Count I = 1; I < M; ++I)
      X[I * Row] -= Factor * V[(I - 1) * Step];
  }
}

/// C = Q C, or Q^T C, of \p K reflectors, where C has \p M rows.
static void BLAS(reflectByBlock)(_Bool Transpose, Count M, Count N, Count K,
                                 const REAL *A, Count RowA, Count ColumnA,
                                 const REAL *Tau, REAL *C, Count RowC,
                                 Count ColumnC) {
  REAL *const V = BLAS(room)(M * K), *const T = BLAS(room)(2 * K * K);
  REAL *const Products = T + K * K, *const S = BLAS(room)(K * N);
  for (Count J = 0; J < K; ++J)
    for (Count I = 0; I < M; ++I)
      V[I + J * M] = I > J ? A[I * RowA + J * ColumnA] : I == J;
  for (Count I = 0; I < 2 * K * K; ++I)
    T[I] = 0;
  BLAS(product)(1, 0, K, K, M, 1, V, M, V, M, Products, K);
  for (Count J = 0; J < K; ++J) {
    for (Count I = 0; I < J; ++I) {
      REAL Sum = 0;
      for (Count L = I; L < J; ++L)
        Sum = BLAS(plusProduct)(Sum, T[I + L * K], Products[L + J * K]);
      T[I + J * K] = -Tau[J] * Sum;
    }
    T[J + J * K] = Tau[J];
  }
  for (Count I = 0; I < K * N; ++I)
    S[I] = 0;
  BLAS(update)(K, N, M, 1, V, M, 1, C, RowC, ColumnC, S, 1, K);
  BLAS(multiply)(Transpose, /*Unit=*/0, K, N, T, Transpose ? K : 1,
                 Transpose ? 1 : K, S, 1, K);
  BLAS(update)(M, N, K, -1, V, 1, M, S, 1, K, C, RowC, ColumnC);
  free(S);
  free(T);
  free(V);
}

/// C = Q C, or Q^T C, of \p K reflectors, where C has \p M rows.
static void BLAS(reflectAll)(_Bool Transpose, Count M, Count N, Count K,
                             const REAL *A, Count RowA, Count ColumnA,
                             const REAL *Tau, REAL *C, Count RowC,
                             Count ColumnC) {
  if (N <= Block || K <= Block) {
    for (Count L = 0; L < K; ++L) {
      const Count I = Transpose ? L : K - 1 - L;
      BLAS(reflect)(M - I, N, Tau[I], A + (I + 1) * RowA + I * ColumnA, RowA,
                    C + I * RowC, RowC, ColumnC);
    }
    return;
  }
  const Count Blocks = (K + Block - 1) / Block;
  for (Count L = 0; L < Blocks; ++L) {
    const Count I = Block * (Transpose ? L : Blocks - 1 - L);
    BLAS(reflectByBlock)(Transpose, M - I, N, least(Block, K - I),
                         A + I * (RowA + ColumnA), RowA, ColumnA, Tau + I,
                         C + I * RowC, RowC, ColumnC);
  }
}

static void BLAS(qr)(Count M, Count N, REAL *A, Count Row, Count Column,
                     REAL *Tau) {
  const Count All = least(M, N);
  for (Count K = 0; K < All; K += Block) {
    // A last block takes what is to its right with it.
    const Count Size = least(Block, All - K), Next = K + Size;
    const Count End = N - Next <= Block ? N : Next;
    for (Count J = K; J < Next; ++J) {
      REAL *const Diagonal = A + J * (Row + Column);
      Tau[J] = BLAS(reflector)(M - J - 1, Diagonal, Diagonal + Row, Row);
      BLAS(reflect)(M - J, End - J - 1, Tau[J], Diagonal + Row, Row,
                    Diagonal + Column, Row, Column);
    }
    if (End < N)
      BLAS(reflectByBlock)(/*Transpose=*/1, M - K, N - Next, Size,
                           A + K * (Row + Column), Row, Column, Tau + K,
                           A + K * Row + Next * Column, Row, Column);
  }
}

/// The first \p N columns of Q of \p K reflectors, in their place.
static void BLAS(orgqr)(Count M, Count N, Count K, REAL *A, Count Row,
                        Count Column, const REAL *Tau) {
  REAL *const V = BLAS(room)(M * K);
  for (Count J = 0; J < K; ++J)
    for (Count I = J + 1; I < M; ++I)
      V[I + J * M] = A[I * Row + J * Column];
  for (Count J = 0; J < N; ++J)
    for (Count I = 0; I < M; ++I)
      A[I * Row + J * Column] = I == J;
  BLAS(reflectAll)(/*Transpose=*/0, M, N, K, V, 1, M, Tau, A, Row, Column);
  free(V);
}

/// C = op(Q) C, or C op(Q), which is the transposed of op(Q)^T C^T. C has \p M
/// rows.
static void BLAS(ormqr)(_Bool Left, _Bool Transpose, Count M, Count N, Count K,
                        const REAL *A, Count RowA, Count ColumnA,
                        const REAL *Tau, REAL *C, Count RowC, Count ColumnC) {
  BLAS(reflectAll)(Transpose == Left, Left ? M : N, Left ? N : M, K, A, RowA,
                   ColumnA, Tau, C, Left ? RowC : ColumnC,
                   Left ? ColumnC : RowC);
}

/// Least squares, or of what solves it the shortest. B has max(M, N) rows.
static int BLAS(gels)(_Bool Transpose, Count M, Count N, Count Columns, REAL *A,
                      Count Row, Count Column, REAL *B, Count RowB,
                      Count ColumnB) {
  if (M < N) {
    const Count Rows = M, Step = Row;
    M = N;
    N = Rows;
    Row = Column;
    Column = Step;
    Transpose = !Transpose;
  }
  if (N == 0) { // Nothing determines B, or B is determined by nothing.
    for (Count J = 0; J < Columns; ++J)
      for (Count I = 0; I < M; ++I)
        B[I * RowB + J * ColumnB] = 0;
    return 0;
  }
  REAL *const Tau = BLAS(room)(N);
  BLAS(qr)(M, N, A, Row, Column, Tau);
  const int Info = BLAS(zeroPivot)(N, A, Row + Column);
  if (Info) {
    free(Tau);
    return Info;
  }
  if (!Transpose)
    BLAS(reflectAll)(/*Transpose=*/1, M, Columns, N, A, Row, Column, Tau, B,
                     RowB, ColumnB);
  // R is the upper triangle, and its transposed one a lower.
  BLAS(solve)(Transpose, /*Unit=*/0, N, Columns, A, Transpose ? Column : Row,
              Transpose ? Row : Column, B, RowB, ColumnB);
  if (Transpose) {
    for (Count J = 0; J < Columns; ++J)
      for (Count I = N; I < M; ++I)
        B[I * RowB + J * ColumnB] = 0;
    BLAS(reflectAll)(/*Transpose=*/0, M, Columns, N, A, Row, Column, Tau, B,
                     RowB, ColumnB);
  }
  free(Tau);
  return 0;
}

void BODY(geqrf)(const int *M, const int *N, REAL *A, const int *Rows,
                 REAL *Tau, REAL *Work, const int *Room, int *Info) {
  requireLegal(*M >= 0 && *N >= 0 && *Rows >= atLeastOne(*M), "geqrf");
  if (*Room != -1)
    BLAS(qr)(*M, *N, A, 1, *Rows, Tau);
  *Work = atLeastOne(*N);
  *Info = 0;
}
int EBODY(geqrf)(int Order, int M, int N, REAL *A, int Rows, REAL *Tau) {
  const _Bool ByRows = isRowMajor(Order, "geqrf");
  requireLegal(M >= 0 && N >= 0 && Rows >= atLeastOne(ByRows ? N : M), "geqrf");
  BLAS(qr)(M, N, A, ByRows ? Rows : 1, ByRows ? 1 : Rows, Tau);
  return 0;
}

void BODY(orgqr)(const int *M, const int *N, const int *K, REAL *A,
                 const int *Rows, const REAL *Tau, REAL *Work, const int *Room,
                 int *Info) {
  requireLegal(*K >= 0 && *N >= *K && *M >= *N && *Rows >= atLeastOne(*M),
               "orgqr");
  if (*Room != -1)
    BLAS(orgqr)(*M, *N, *K, A, 1, *Rows, Tau);
  *Work = atLeastOne(*N);
  *Info = 0;
}
int EBODY(orgqr)(int Order, int M, int N, int K, REAL *A, int Rows,
                 const REAL *Tau) {
  const _Bool ByRows = isRowMajor(Order, "orgqr");
  requireLegal(K >= 0 && N >= K && M >= N && Rows >= atLeastOne(ByRows ? N : M),
               "orgqr");
  BLAS(orgqr)(M, N, K, A, ByRows ? Rows : 1, ByRows ? 1 : Rows, Tau);
  return 0;
}

void BODY(ormqr)(const char *Side, const char *Trans, const int *M,
                 const int *N, const int *K, const REAL *A, const int *RowsA,
                 const REAL *Tau, REAL *C, const int *RowsC, REAL *Work,
                 const int *Room, int *Info) {
  const _Bool IsLeft = isLeft(*Side, "ormqr");
  const int Order = IsLeft ? *M : *N;
  requireLegal(*M >= 0 && *N >= 0 && *K >= 0 && *K <= Order &&
                   *RowsA >= atLeastOne(Order) && *RowsC >= atLeastOne(*M),
               "ormqr");
  const _Bool Transpose = isTransposed(*Trans, "ormqr");
  if (*Room != -1)
    BLAS(ormqr)(IsLeft, Transpose, *M, *N, *K, A, 1, *RowsA, Tau, C, 1, *RowsC);
  *Work = atLeastOne(IsLeft ? *N : *M);
  *Info = 0;
}
int EBODY(ormqr)(int Order, char Side, char Trans, int M, int N, int K,
                 const REAL *A, int RowsA, const REAL *Tau, REAL *C,
                 int RowsC) {
  const _Bool ByRows = isRowMajor(Order, "ormqr");
  const _Bool IsLeft = isLeft(Side, "ormqr");
  const int Reflected = IsLeft ? M : N;
  requireLegal(M >= 0 && N >= 0 && K >= 0 && K <= Reflected &&
                   RowsA >= atLeastOne(ByRows ? K : Reflected) &&
                   RowsC >= atLeastOne(ByRows ? N : M),
               "ormqr");
  BLAS(ormqr)(IsLeft, isTransposed(Trans, "ormqr"), M, N, K, A,
              ByRows ? RowsA : 1, ByRows ? 1 : RowsA, Tau, C,
              ByRows ? RowsC : 1, ByRows ? 1 : RowsC);
  return 0;
}

void BODY(gels)(const char *Trans, const int *M, const int *N,
                const int *Columns, REAL *A, const int *RowsA, REAL *B,
                const int *RowsB, REAL *Work, const int *Room, int *Info) {
  const int Fewer = *M < *N ? *M : *N, More = *M < *N ? *N : *M;
  requireLegal(Fewer >= 0 && *Columns >= 0 && *RowsA >= atLeastOne(*M) &&
                   *RowsB >= atLeastOne(More),
               "gels");
  const _Bool Transpose = isTransposed(*Trans, "gels");
  *Info = *Room == -1 ? 0
                      : BLAS(gels)(Transpose, *M, *N, *Columns, A, 1, *RowsA, B,
                                   1, *RowsB);
  *Work = atLeastOne(Fewer + (*Columns > Fewer ? *Columns : Fewer));
}
int EBODY(gels)(int Order, char Trans, int M, int N, int Columns, REAL *A,
                int RowsA, REAL *B, int RowsB) {
  const _Bool ByRows = isRowMajor(Order, "gels");
  requireLegal(M >= 0 && N >= 0 && Columns >= 0 &&
                   RowsA >= atLeastOne(ByRows ? N : M) &&
                   RowsB >= atLeastOne(ByRows  ? Columns
                                       : M > N ? M
                                               : N),
               "gels");
  return BLAS(gels)(isTransposed(Trans, "gels"), M, N, Columns, A,
                    ByRows ? RowsA : 1, ByRows ? 1 : RowsA, B,
                    ByRows ? RowsB : 1, ByRows ? 1 : RowsB);
}
