//===- Blas.h - bodies of BLAS for one type of numbers ----------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors, and matrices of no special form. Included by NumericalBodies.h for
// float and for double. Matrices lie by
// columns here; one that lies by rows is the transposed one. The innermost loop
// runs through a column where there is such a loop, and sums may be added up in
// any order, so that the program's loops and the reversed ones are vectors.
//
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// A step of a sum whose order does not matter. Products are not regrouped:
/// what scales may overflow alone.
__attribute__((always_inline)) static REAL BLAS(plusProduct)(REAL Sum, REAL A,
                                                             REAL B) {
#pragma clang fp reassociate(on)
  return Sum + A * B;
}

static REAL BLAS(dot)(Count N, const REAL *X, Count StepX, const REAL *Y,
                      Count StepY) {
  REAL Sum = 0;
  X += firstOf(N, StepX);
  Y += firstOf(N, StepY);
  for (Count I = 0; I < N; ++I)
    Sum = BLAS(plusProduct)(Sum, X[I * StepX], Y[I * StepY]);
  return Sum;
}

static void BLAS(axpy)(Count N, REAL Alpha, const REAL *X, Count StepX, REAL *Y,
                       Count StepY) {
  X += firstOf(N, StepX);
  Y += firstOf(N, StepY);
  for (Count I = 0; I < N; ++I)
    Y[I * StepY] += Alpha * X[I * StepX];
}

static void BLAS(scal)(Count N, REAL Alpha, REAL *X, Count Step) {
  if (Step > 0)
    for (Count I = 0; I < N; ++I)
      X[I * Step] *= Alpha;
}

static REAL BLAS(sumOfSquares)(Count N, REAL Factor, const REAL *X,
                               Count Step) {
  REAL Sum = 0;
  for (Count I = 0; I < N; ++I) {
    REAL Scaled = Factor * X[I * Step];
    Sum = BLAS(plusProduct)(Sum, Scaled, Scaled);
  }
  return Sum;
}

/// Squares that overflow, or vanish, are those of scaled elements. The norm of
/// zero has the derivative zero.
static REAL BLAS(nrm2)(Count N, const REAL *X, Count Step) {
  X += firstOf(N, Step);
  REAL Factor = 1, Sum = BLAS(sumOfSquares)(N, 1, X, Step);
  if (Sum < TINY || Sum > HUGE) {
    Factor = Sum < TINY ? UP : 1 / UP;
    Sum = BLAS(sumOfSquares)(N, Factor, X, Step);
    if (Sum == 0)
      return 0;
  }
  return MATH(sqrt)(Sum) / Factor;
}

static REAL BLAS(asum)(Count N, const REAL *X, Count Step) {
  REAL Sum = 0;
  if (Step > 0)
    for (Count I = 0; I < N; ++I)
      Sum = BLAS(plusProduct)(Sum, 1, MATH(fabs)(X[I * Step]));
  return Sum;
}

static void BLAS(copy)(Count N, const REAL *X, Count StepX, REAL *Y,
                       Count StepY) {
  X += firstOf(N, StepX);
  Y += firstOf(N, StepY);
  for (Count I = 0; I < N; ++I)
    Y[I * StepY] = X[I * StepX];
}

static void BLAS(swap)(Count N, REAL *X, Count StepX, REAL *Y, Count StepY) {
  X += firstOf(N, StepX);
  Y += firstOf(N, StepY);
  for (Count I = 0; I < N; ++I) {
    REAL T = X[I * StepX];
    X[I * StepX] = Y[I * StepY];
    Y[I * StepY] = T;
  }
}

static void BLAS(rot)(Count N, REAL *X, Count StepX, REAL *Y, Count StepY,
                      REAL C, REAL S) {
  X += firstOf(N, StepX);
  Y += firstOf(N, StepY);
  for (Count I = 0; I < N; ++I) {
    REAL A = X[I * StepX], B = Y[I * StepY];
    X[I * StepX] = C * A + S * B;
    Y[I * StepY] = C * B - S * A;
  }
}

/// (c s; -s c) (a; b) = (r; 0), where r has the sign of the larger of a and b.
/// Zeros are no special case, since the derivatives of c and s are not zero
/// there, but where both are.
static void BLAS(rotg)(REAL *A, REAL *B, REAL *C, REAL *S) {
  const REAL X = *A, Y = *B;
  const _Bool FirstIsLarger = MATH(fabs)(X) > MATH(fabs)(Y);
  if (X == 0 && Y == 0) {
    *C = 1;
    *S = *A = *B = 0;
    return;
  }
  const REAL Length = MATH(hypot)(X, Y);
  const REAL R = (FirstIsLarger ? X : Y) < 0 ? -Length : Length;
  const REAL Cosine = X / R, Sine = Y / R;
  *C = Cosine;
  *S = Sine;
  *A = R;
  *B = FirstIsLarger ? Sine : X != 0 ? 1 / Cosine : 1;
}

/// -1 if there is none.
static Count BLAS(amax)(Count N, const REAL *X, Count Step) {
  if (N < 1 || Step < 1)
    return -1;
  Count At = 0;
  for (Count I = 1; I < N; ++I)
    if (MATH(fabs)(X[I * Step]) > MATH(fabs)(X[At * Step]))
      At = I;
  return At;
}

REAL BODY(dot)(const int *N, const REAL *X, const int *StepX, const REAL *Y,
               const int *StepY) {
  return BLAS(dot)(*N, X, *StepX, Y, *StepY);
}
REAL CBODY(dot)(int N, const REAL *X, int StepX, const REAL *Y, int StepY) {
  return BLAS(dot)(N, X, StepX, Y, StepY);
}

void BODY(axpy)(const int *N, const REAL *Alpha, const REAL *X,
                const int *StepX, REAL *Y, const int *StepY) {
  BLAS(axpy)(*N, *Alpha, X, *StepX, Y, *StepY);
}
void CBODY(axpy)(int N, REAL Alpha, const REAL *X, int StepX, REAL *Y,
                 int StepY) {
  BLAS(axpy)(N, Alpha, X, StepX, Y, StepY);
}

void BODY(scal)(const int *N, const REAL *Alpha, REAL *X, const int *Step) {
  BLAS(scal)(*N, *Alpha, X, *Step);
}
void CBODY(scal)(int N, REAL Alpha, REAL *X, int Step) {
  BLAS(scal)(N, Alpha, X, Step);
}

REAL BODY(nrm2)(const int *N, const REAL *X, const int *Step) {
  return BLAS(nrm2)(*N, X, *Step);
}
REAL CBODY(nrm2)(int N, const REAL *X, int Step) {
  return BLAS(nrm2)(N, X, Step);
}

REAL BODY(asum)(const int *N, const REAL *X, const int *Step) {
  return BLAS(asum)(*N, X, *Step);
}
REAL CBODY(asum)(int N, const REAL *X, int Step) {
  return BLAS(asum)(N, X, Step);
}

void BODY(copy)(const int *N, const REAL *X, const int *StepX, REAL *Y,
                const int *StepY) {
  BLAS(copy)(*N, X, *StepX, Y, *StepY);
}
void CBODY(copy)(int N, const REAL *X, int StepX, REAL *Y, int StepY) {
  BLAS(copy)(N, X, StepX, Y, StepY);
}

void BODY(swap)(const int *N, REAL *X, const int *StepX, REAL *Y,
                const int *StepY) {
  BLAS(swap)(*N, X, *StepX, Y, *StepY);
}
void CBODY(swap)(int N, REAL *X, int StepX, REAL *Y, int StepY) {
  BLAS(swap)(N, X, StepX, Y, StepY);
}

void BODY(rot)(const int *N, REAL *X, const int *StepX, REAL *Y,
               const int *StepY, const REAL *C, const REAL *S) {
  BLAS(rot)(*N, X, *StepX, Y, *StepY, *C, *S);
}
void CBODY(rot)(int N, REAL *X, int StepX, REAL *Y, int StepY, REAL C, REAL S) {
  BLAS(rot)(N, X, StepX, Y, StepY, C, S);
}

void BODY(rotg)(REAL *A, REAL *B, REAL *C, REAL *S) { BLAS(rotg)(A, B, C, S); }
void CBODY(rotg)(REAL *A, REAL *B, REAL *C, REAL *S) { BLAS(rotg)(A, B, C, S); }

int AMAX(const int *N, const REAL *X, const int *Step) {
  return BLAS(amax)(*N, X, *Step) + 1;
}
size_t CAMAX(int N, const REAL *X, int Step) {
  Count At = BLAS(amax)(N, X, Step);
  return At < 0 ? 0 : At;
}

//===----------------------------------------------------------------------===//
// A matrix and vectors
//===----------------------------------------------------------------------===//

/// What beta = 0 multiplies is not read.
static void BLAS(scaled)(Count N, REAL Beta, REAL *Y, Count Step) {
  if (Beta == 0)
    for (Count I = 0; I < N; ++I)
      Y[I * Step] = 0;
  else
    for (Count I = 0; I < N; ++I)
      Y[I * Step] *= Beta;
}

/// y += alpha op(A) x, where A has \p M rows and \p N columns.
static void BLAS(addGemv)(_Bool Transpose, Count M, Count N, REAL Alpha,
                          const REAL *restrict A, Count Rows,
                          const REAL *restrict X, Count StepX, REAL *restrict Y,
                          Count StepY) {
  if (Transpose) {
    for (Count J = 0; J < N; ++J) {
      REAL Sum = 0;
      for (Count I = 0; I < M; ++I)
        Sum = BLAS(plusProduct)(Sum, A[I + J * Rows], X[I * StepX]);
      Y[J * StepY] += Alpha * Sum;
    }
    return;
  }
  for (Count J = 0; J < N; ++J) {
    const REAL Factor = Alpha * X[J * StepX];
    for (Count I = 0; I < M; ++I)
      Y[I * StepY] += Factor * A[I + J * Rows];
  }
}

/// y = alpha op(A) x + beta y, likewise.
static void BLAS(gemv)(_Bool Transpose, Count M, Count N, REAL Alpha,
                       const REAL *A, Count Rows, const REAL *X, Count StepX,
                       REAL Beta, REAL *Y, Count StepY) {
  if (M == 0 || N == 0)
    return;
  const Count LengthX = Transpose ? M : N, LengthY = Transpose ? N : M;
  X += firstOf(LengthX, StepX);
  Y += firstOf(LengthY, StepY);
  BLAS(scaled)(LengthY, Beta, Y, StepY);
  BLAS(addGemv)(Transpose, M, N, Alpha, A, Rows, X, StepX, Y, StepY);
}

/// A += alpha x y^T.
static void BLAS(ger)(Count M, Count N, REAL Alpha, const REAL *restrict X,
                      Count StepX, const REAL *restrict Y, Count StepY,
                      REAL *restrict A, Count Rows) {
  X += firstOf(M, StepX);
  Y += firstOf(N, StepY);
  for (Count J = 0; J < N; ++J) {
    const REAL Factor = Alpha * Y[J * StepY];
    for (Count I = 0; I < M; ++I)
      A[I + J * Rows] += Factor * X[I * StepX];
  }
}

void BODY(gemv)(const char *Trans, const int *M, const int *N,
                const REAL *Alpha, const REAL *A, const int *Rows,
                const REAL *X, const int *StepX, const REAL *Beta, REAL *Y,
                const int *StepY) {
  requireLegal(*M >= 0 && *N >= 0 && *Rows >= atLeastOne(*M) && *StepX &&
                   *StepY,
               "gemv");
  BLAS(gemv)(isTransposed(*Trans, "gemv"), *M, *N, *Alpha, A, *Rows, X, *StepX,
             *Beta, Y, *StepY);
}
void CBODY(gemv)(int Order, int Trans, int M, int N, REAL Alpha, const REAL *A,
                 int Rows, const REAL *X, int StepX, REAL Beta, REAL *Y,
                 int StepY) {
  const _Bool ByRows = isRowMajor(Order, "gemv");
  requireLegal(M >= 0 && N >= 0 && Rows >= atLeastOne(ByRows ? N : M) &&
                   StepX && StepY,
               "gemv");
  BLAS(gemv)(transposes(Trans, "gemv") != ByRows, ByRows ? N : M,
             ByRows ? M : N, Alpha, A, Rows, X, StepX, Beta, Y, StepY);
}

void BODY(ger)(const int *M, const int *N, const REAL *Alpha, const REAL *X,
               const int *StepX, const REAL *Y, const int *StepY, REAL *A,
               const int *Rows) {
  requireLegal(
      *M >= 0 && *N >= 0 && *Rows >= atLeastOne(*M) && *StepX && *StepY, "ger");
  BLAS(ger)(*M, *N, *Alpha, X, *StepX, Y, *StepY, A, *Rows);
}
void CBODY(ger)(int Order, int M, int N, REAL Alpha, const REAL *X, int StepX,
                const REAL *Y, int StepY, REAL *A, int Rows) {
  const _Bool ByRows = isRowMajor(Order, "ger");
  requireLegal(M >= 0 && N >= 0 && Rows >= atLeastOne(ByRows ? N : M) &&
                   StepX && StepY,
               "ger");
  if (ByRows)
    BLAS(ger)(N, M, Alpha, Y, StepY, X, StepX, A, Rows);
  else
    BLAS(ger)(M, N, Alpha, X, StepX, Y, StepY, A, Rows);
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

#include "Products.h"

static void BLAS(scaledColumns)(Count M, Count N, REAL Beta, REAL *C,
                                Count RowsC) {
  for (Count J = 0; J < N; ++J)
    BLAS(scaled)(M, Beta, C + J * RowsC, 1);
}

/// C = alpha op(A) op(B) + beta C.
static void BLAS(gemm)(_Bool TransA, _Bool TransB, Count M, Count N, Count K,
                       REAL Alpha, const REAL *A, Count RowsA, const REAL *B,
                       Count RowsB, REAL Beta, REAL *C, Count RowsC) {
  BLAS(scaledColumns)(M, N, Beta, C, RowsC);
  BLAS(product)(TransA, TransB, M, N, K, Alpha, A, RowsA, B, RowsB, C, RowsC);
}

void BODY(gemm)(const char *TransA, const char *TransB, const int *M,
                const int *N, const int *K, const REAL *Alpha, const REAL *A,
                const int *RowsA, const REAL *B, const int *RowsB,
                const REAL *Beta, REAL *C, const int *RowsC) {
  const _Bool A1 = isTransposed(*TransA, "gemm");
  const _Bool B1 = isTransposed(*TransB, "gemm");
  requireLegal(
      *M >= 0 && *N >= 0 && *K >= 0 && *RowsA >= atLeastOne(A1 ? *K : *M) &&
          *RowsB >= atLeastOne(B1 ? *N : *K) && *RowsC >= atLeastOne(*M),
      "gemm");
  BLAS(gemm)(A1, B1, *M, *N, *K, *Alpha, A, *RowsA, B, *RowsB, *Beta, C,
             *RowsC);
}
void CBODY(gemm)(int Order, int TransA, int TransB, int M, int N, int K,
                 REAL Alpha, const REAL *A, int RowsA, const REAL *B, int RowsB,
                 REAL Beta, REAL *C, int RowsC) {
  const _Bool ByRows = isRowMajor(Order, "gemm");
  const _Bool A1 = transposes(TransA, "gemm"), B1 = transposes(TransB, "gemm");
  requireLegal(M >= 0 && N >= 0 && K >= 0 &&
                   RowsA >= atLeastOne(A1 != ByRows ? K : M) &&
                   RowsB >= atLeastOne(B1 != ByRows ? N : K) &&
                   RowsC >= atLeastOne(ByRows ? N : M),
               "gemm");
  if (ByRows)
    BLAS(gemm)(B1, A1, N, M, K, Alpha, B, RowsB, A, RowsA, Beta, C, RowsC);
  else
    BLAS(gemm)(A1, B1, M, N, K, Alpha, A, RowsA, B, RowsB, Beta, C, RowsC);
}
