//===- EigenBodies.h - bodies of Eigen's kernels ----------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of the functions in pass/rules/EigenKernels.def, with what is written there
// as # in front of their parameters. Included by NumericalBodies.h for float
// and for double. Eigen's blocks of memory and sizes for them are not needed.
//
// A matrix lies by columns, or by rows, with a step between these; triangles
// are of the matrix, however it lies. Products are added to what is there. The
// step in the result of a product by columns is not read, as Eigen does not.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_EIGEN_TYPES
#define VERSO_EIGEN_TYPES
/// Eigen::UpLoType, Eigen::SideType, Eigen::StorageOptions.
enum EigenPart { EigenLower = 1, EigenUpper = 2, EigenUnit = 4, EigenZero = 8 };
enum EigenSide { EigenLeft = 1, EigenRight = 2 };
enum EigenOptions { EigenRowMajor = 1 };
#endif

/// Eigen::internal::const_blas_data_mapper.
struct BLAS(Mapper) {
  const REAL *Data;
  Count Step;
};

/// Eigen::Matrix of dynamic size.
struct BLAS(Matrix) {
  REAL *Data;
  Count Rows, Columns;
};

void EIGEN(gemm)(int ByRowsA, int ByRowsB, Count M, Count N, Count K,
                 const REAL *A, Count RowsA, const REAL *B, Count RowsB,
                 REAL *C, Count StepC, Count RowsC, REAL Alpha, void *Blocking,
                 void *Threads) {
  BLAS(product)(ByRowsA, ByRowsB, M, N, K, Alpha, A, RowsA, B, RowsB, C, RowsC);
}

void EIGEN(gemmt)(int ByRowsA, int ByRowsB, int Part, Count N, Count K,
                  const REAL *A, Count RowsA, const REAL *B, Count RowsB,
                  REAL *C, Count StepC, Count RowsC, const REAL *Alpha,
                  void *Blocking) {
  BLAS(addTriangle)((Part & EigenLower) != 0, ByRowsA, ByRowsB, N, K, *Alpha, A,
                    RowsA, B, RowsB, C, RowsC);
}

void EIGEN(gemv)(int ByRows, int ByRowsX, Count M, Count N,
                 const struct BLAS(Mapper) * A, const struct BLAS(Mapper) * X,
                 REAL *Y, Count StepY, REAL Alpha) {
  BLAS(addGemv)(ByRows, ByRows ? N : M, ByRows ? M : N, Alpha, A->Data, A->Step,
                X->Data, ByRowsX ? X->Step : 1, Y, ByRows ? StepY : 1);
}

/// Of the symmetric one the lower triangle is read, as it lies.
void EIGEN(symm)(int ByRowsA, int AIsSymmetric, int ByRowsB, Count M, Count N,
                 const REAL *A, Count RowsA, const REAL *B, Count RowsB,
                 REAL *C, Count StepC, Count RowsC, const REAL *Alpha,
                 void *Blocking) {
  const Count RowA = ByRowsA ? RowsA : 1, ColumnA = ByRowsA ? 1 : RowsA;
  const Count RowB = ByRowsB ? RowsB : 1, ColumnB = ByRowsB ? 1 : RowsB;
  if (AIsSymmetric)
    BLAS(addSymmetric)(M, N, *Alpha, A, RowA, ColumnA, B, RowB, ColumnB, C, 1,
                       RowsC);
  else
    BLAS(addSymmetric)(N, M, *Alpha, B, RowB, ColumnB, A, ColumnA, RowA, C,
                       RowsC, 1);
}

void EIGEN(symv)(int ByRows, int Part, Count N, const REAL *A, Count Rows,
                 const REAL *X, REAL *Y, REAL Alpha) {
  BLAS(addSymv)((Part == EigenLower) != ByRows, N, Alpha, A, Rows, X, 1, Y, 1);
}

/// C += alpha A B, where A is a triangle of \p N rows, by loops.
static void BLAS(addTriangleByColumns)(int Part, Count N, Count Columns,
                                       REAL Alpha, const REAL *restrict A,
                                       Count RowA, Count ColumnA,
                                       const REAL *restrict B, Count RowB,
                                       Count ColumnB, REAL *restrict C,
                                       Count RowC, Count ColumnC) {
  const _Bool Lower = (Part & EigenLower) != 0;
  for (Count J = 0; J < Columns; ++J)
    for (Count K = 0; K < N; ++K) {
      const REAL Factor = Alpha * B[K * RowB + J * ColumnB];
      if (Part & EigenUnit)
        C[K * RowC + J * ColumnC] += Factor;
      else if (!(Part & EigenZero))
        C[K * RowC + J * ColumnC] += Factor * A[K * (RowA + ColumnA)];
      for (Count I = Lower ? K + 1 : 0; I < (Lower ? N : K); ++I)
        C[I * RowC + J * ColumnC] += Factor * A[I * RowA + K * ColumnA];
    }
}

/// C += alpha A B, where A is the triangle of \p M rows and \p K columns.
static void BLAS(addTrapezoid)(int Part, Count M, Count Columns, Count K,
                               REAL Alpha, const REAL *A, Count RowA,
                               Count ColumnA, const REAL *B, Count RowB,
                               Count ColumnB, REAL *C, Count RowC,
                               Count ColumnC) {
  const Count N = least(M, K);
  const _Bool Lower = (Part & EigenLower) != 0;
  for (Count I = 0; I < N; I += Block) {
    if (I > 0) {
      const Count Due = columnsDue(I), Before = I - Due;
      const Count Width = least(Due, N - I);
      const Count Row = Lower ? I : Before, Column = Lower ? Before : I;
      BLAS(update)(Lower ? Width : Due, Columns, Lower ? Due : Width, Alpha,
                   A + Row * RowA + Column * ColumnA, RowA, ColumnA,
                   B + Column * RowB, RowB, ColumnB, C + Row * RowC, RowC,
                   ColumnC);
    }
    BLAS(addTriangleByColumns)(Part, least(Block, N - I), Columns, Alpha,
                               A + I * (RowA + ColumnA), RowA, ColumnA,
                               B + I * RowB, RowB, ColumnB, C + I * RowC, RowC,
                               ColumnC);
  }
  if (Lower && N < M)
    BLAS(update)(M - N, Columns, N, Alpha, A + N * RowA, RowA, ColumnA, B, RowB,
                 ColumnB, C + N * RowC, RowC, ColumnC);
  if (!Lower && N < K)
    BLAS(update)(N, Columns, K - N, Alpha, A + N * ColumnA, RowA, ColumnA,
                 B + N * RowB, RowB, ColumnB, C, RowC, ColumnC);
}

void EIGEN(trmm)(int Part, int AIsTriangle, int ByRowsA, int ByRowsB, Count M,
                 Count N, Count K, const REAL *A, Count RowsA, const REAL *B,
                 Count RowsB, REAL *C, Count StepC, Count RowsC,
                 const REAL *Alpha, void *Blocking) {
  const Count RowA = ByRowsA ? RowsA : 1, ColumnA = ByRowsA ? 1 : RowsA;
  const Count RowB = ByRowsB ? RowsB : 1, ColumnB = ByRowsB ? 1 : RowsB;
  if (AIsTriangle)
    BLAS(addTrapezoid)(Part, M, N, K, *Alpha, A, RowA, ColumnA, B, RowB,
                       ColumnB, C, 1, RowsC);
  else
    BLAS(addTrapezoid)(Part ^ (EigenLower | EigenUpper), N, M, K, *Alpha, B,
                       ColumnB, RowB, A, ColumnA, RowA, C, RowsC, 1);
}

void EIGEN(trmv)(int Part, int ByRows, Count M, Count N, const REAL *A,
                 Count Rows, const REAL *X, Count StepX, REAL *Y,
                 Count GivenStepY, const REAL *Alpha) {
  const Count StepY = ByRows ? GivenStepY : 1;
  BLAS(addTrapezoid)(Part, M, 1, N, *Alpha, A, ByRows ? Rows : 1,
                     ByRows ? 1 : Rows, X, StepX, N * StepX, Y, StepY,
                     M * StepY);
}

void EIGEN(trsm)(int Side, int Part, int ByRows, Count N, Count Others,
                 const REAL *A, Count Rows, REAL *B, Count StepB, Count RowsB,
                 void *Blocking) {
  const _Bool IsLeft = Side == EigenLeft;
  BLAS(plainTriangle)(/*Solves=*/1, IsLeft,
                      ((Part & EigenLower) != 0) != ByRows, ByRows,
                      (Part & EigenUnit) != 0, IsLeft ? N : Others,
                      IsLeft ? Others : N, A, Rows, B, RowsB);
}

void EIGEN(trsv)(int Part, int ByRows, Count N, const REAL *A, Count Rows,
                 REAL *X) {
  BLAS(triangleOfVector)(/*Solves=*/1, ((Part & EigenLower) != 0) != ByRows,
                         ByRows, (Part & EigenUnit) != 0, N, A, Rows, X, 1);
}

/// Returns the first column whose minor is not positive, or -1. \p Options are
/// Eigen::StorageOptions.
Count EIGEN(llt)(int Options, const struct BLAS(Matrix) * A) {
  const Count N = A->Rows;
  const _Bool ByRows = Options & EigenRowMajor;
  return BLAS(cholesky)(/*AsEigen=*/1, N, A->Data, ByRows ? N : 1,
                        ByRows ? 1 : N) -
         1;
}

/// Returns the first zero pivot, or -1. Rows that are exchanged are counted
/// from zero.
Count EIGEN(lu)(int ByRows, Count M, Count N, REAL *A, Count Rows,
                int *Exchanged, int *Exchanges, Count MaxBlock) {
  const int Info =
      BLAS(lu)(M, N, A, ByRows ? Rows : 1, ByRows ? 1 : Rows, Exchanged);
  int Some = 0;
  for (Count I = 0; I < least(M, N); ++I) {
    const int Row = Exchanged[I] - 1;
    Exchanged[I] = Row;
    Some += Row != I;
  }
  *Exchanges = Some;
  return Info - 1;
}
