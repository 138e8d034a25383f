//===- Products.h - products of matrices by the program's library -*- C++
//-*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by NumericalLibraries.c for float and for double. A product of large
// matrices is the program's own BLAS's, forwards and in the reverse: A and B
// are packed, and
//
//   C += alpha (L + R),   L = op(A) op(B), linear in A,
//                         R = 0, with the derivative op(A) dop(B), linear in B
//
// L and R are staged calls (pass/prepare/StagedProducts.h), which the
// strategies know as copies from the packed matrix with something done to it.
// There are two, so that nothing is computed for a matrix that does not vary.
// Where the program has no library (Eigen's products), large products are by
// blocks that are packed for tiles of C which stay in registers (Goto and van
// de Geijn 2008).
//
//===----------------------------------------------------------------------===//

// Of the program's library, if it has one: `dgemm_` with the lengths of text
// (which C's do not look at), or `cblas_dgemm`.
__attribute__((weak)) void FORTRAN(gemm)(const char *, const char *,
                                         const int *, const int *, const int *,
                                         const REAL *, const REAL *,
                                         const int *, const REAL *, const int *,
                                         const REAL *, REAL *, const int *,
                                         size_t, size_t);
__attribute__((weak)) void CBLAS(gemm)(int, int, int, int, int, int, REAL,
                                       const REAL *, int, const REAL *, int,
                                       REAL, REAL *, int);

/// C += alpha op(A) op(B), where C has \p M rows and \p N columns.
static void BLAS(productByLoops)(_Bool TransA, _Bool TransB, Count M, Count N,
                                 Count K, REAL Alpha, const REAL *restrict A,
                                 Count RowsA, const REAL *restrict B,
                                 Count RowsB, REAL *restrict C, Count RowsC) {
  const Count StepB = TransB ? RowsB : 1, ColumnB = TransB ? 1 : RowsB;
  for (Count J = 0; J < N; ++J) {
    if (TransA) {
      for (Count I = 0; I < M; ++I) {
        REAL Sum = 0;
        for (Count L = 0; L < K; ++L)
          Sum = BLAS(plusProduct)(Sum, A[L + I * RowsA],
                                  B[L * StepB + J * ColumnB]);
        C[I + J * RowsC] += Alpha * Sum;
      }
      continue;
    }
    for (Count L = 0; L < K; ++L) {
      const REAL Factor = Alpha * B[L * StepB + J * ColumnB];
      for (Count I = 0; I < M; ++I)
        C[I + J * RowsC] += Factor * A[I + L * RowsA];
    }
  }
}

/// A column of a tile: four registers of SSE2, one of AVX-512.
typedef REAL BLAS(Column)
    __attribute__((vector_size(64), aligned(sizeof(REAL)), may_alias));
#define TILE_ROWS ((Count)(sizeof(BLAS(Column)) / sizeof(REAL)))

/// A tile of C += A B, where A and B lie step by step of \p K, and C has
/// \p Rows and \p Columns of them.
static void BLAS(addTile)(Count K, const REAL *restrict A,
                          const REAL *restrict B, Count Rows, Count Columns,
                          REAL *restrict C, Count RowsC) {
  BLAS(Column) Sums[TileColumns] = {0};
  for (Count L = 0; L < K; ++L) {
    const BLAS(Column) Left = *(const BLAS(Column) *)(A + L * TILE_ROWS);
#pragma clang loop unroll(full)
    for (int J = 0; J < TileColumns; ++J)
      Sums[J] += Left * B[L * TileColumns + J];
  }
  if (Rows == TILE_ROWS && Columns == TileColumns) {
#pragma clang loop unroll(full)
    for (int J = 0; J < TileColumns; ++J)
      *(BLAS(Column) *)(C + J * RowsC) += Sums[J];
    return;
  }
  REAL Tile[TileColumns * TILE_ROWS];
  __builtin_memcpy(Tile, Sums, sizeof Tile);
  for (Count J = 0; J < Columns; ++J)
    for (Count I = 0; I < Rows; ++I)
      C[I + J * RowsC] += Tile[I + J * TILE_ROWS];
}

/// Lays \p K steps of \p N rows or columns side by side in tiles of \p Width,
/// filled up with zeros.
__attribute__((always_inline)) static void
BLAS(packTiles)(REAL *restrict To, const REAL *restrict From, Count N,
                Count Step, Count K, Count StepK, const Count Width) {
  for (Count I = 0; I < N; I += Width, From += Width * Step, To += Width * K) {
    const Count Some = least(Width, N - I);
    if (Some == Width) {
      for (Count L = 0; L < K; ++L)
#pragma clang loop unroll(full)
        for (Count W = 0; W < Width; ++W)
          To[W + L * Width] = From[W * Step + L * StepK];
      continue;
    }
    for (Count L = 0; L < K; ++L)
      for (Count W = 0; W < Width; ++W)
        To[W + L * Width] = W < Some ? From[W * Step + L * StepK] : 0;
  }
}

/// C += op(A) op(B) by blocks of matrices without gaps.
static void BLAS(productByTiles)(_Bool TransA, _Bool TransB, Count M, Count N,
                                 Count K, const REAL *A, const REAL *B,
                                 REAL *C) {
  // In the caches of second and first level.
  enum { MostRows = 96, MostColumns = 240, MostSteps = 256 };
  const Count StepA = TransA ? K : 1, StepKA = TransA ? 1 : M;
  const Count StepB = TransB ? 1 : K, StepKB = TransB ? N : 1;
  const Count Steps = least(K, MostSteps);
  const Count Columns = (least(N, MostColumns) + TileColumns) * Steps;
  const Count Rows = (least(M, MostRows) + TILE_ROWS) * Steps;
  REAL *const PackedB = __verso_take_block((Columns + Rows) * sizeof(REAL));
  REAL *const PackedA = PackedB + Columns;
  for (Count L = 0; L < K; L += MostSteps) {
    const Count Depth = least(MostSteps, K - L);
    for (Count J = 0; J < N; J += MostColumns) {
      const Count Width = least(MostColumns, N - J);
      BLAS(packTiles)(PackedB, B + J * StepB + L * StepKB, Width, StepB, Depth,
                      StepKB, TileColumns);
      for (Count I = 0; I < M; I += MostRows) {
        const Count Height = least(MostRows, M - I);
        BLAS(packTiles)(PackedA, A + I * StepA + L * StepKA, Height, StepA,
                        Depth, StepKA, TILE_ROWS);
        for (Count Y = 0; Y < Width; Y += TileColumns)
          for (Count X = 0; X < Height; X += TILE_ROWS)
            BLAS(addTile)(Depth, PackedA + X * Depth, PackedB + Y * Depth,
                          least(TILE_ROWS, Height - X),
                          least(TileColumns, Width - Y),
                          C + I + X + (J + Y) * M, M);
      }
    }
  }
  __verso_give_block(PackedB);
}
#undef TILE_ROWS

static void BLAS(product)(_Bool TransA, _Bool TransB, Count M, Count N, Count K,
                          REAL Alpha, const REAL *restrict A, Count RowsA,
                          const REAL *restrict B, Count RowsB, REAL *restrict C,
                          Count RowsC);

/// C += op(A) op(B) of matrices without gaps.
__attribute__((noinline)) static void
BLAS(addProduct)(_Bool TransA, _Bool TransB, Count M, Count N, Count K,
                 const REAL *A, const REAL *B, REAL *C) {
  const Count RowsA = TransA ? K : M, RowsB = TransB ? N : K;
  if (verso_is_differentiated()) { // By a request for a derivative of this.
    BLAS(product)(TransA, TransB, M, N, K, 1, A, RowsA, B, RowsB, C, M);
    return;
  }
  const _Bool Fit = M <= INT_MAX && N <= INT_MAX && K <= INT_MAX;
  if (Fit && FORTRAN(gemm)) {
    // Who reads 32 bits of them and who reads 64 read the same. (As variables
    // of 64 bits they would be an error where this is differentiated.)
    const Count Given[] = {M, N, K, RowsA, RowsB};
    char Sizes[sizeof Given];
    __builtin_memcpy(Sizes, Given, sizeof Given);
#define READ(I) ((const int *)(Sizes + I * sizeof(Count)))
    const REAL One = 1;
    FORTRAN(gemm)
    (TransA ? "T" : "N", TransB ? "T" : "N", READ(0), READ(1), READ(2), &One, A,
     READ(3), B, READ(4), &One, C, READ(0), 1, 1);
#undef READ
    return;
  }
  if (Fit && CBLAS(gemm)) {
    CBLAS(gemm)
    (ColumnMajor, TransA ? Transposed : NoTranspose,
     TransB ? Transposed : NoTranspose, M, N, K, 1, A, RowsA, B, RowsB, 1, C,
     M);
    return;
  }
  if (M * N * K >= LeastByTiles) {
    BLAS(productByTiles)(TransA, TransB, M, N, K, A, B, C);
    return;
  }
  BLAS(productByLoops)(TransA, TransB, M, N, K, 1, A, RowsA, B, RowsB, C, M);
}

static void BLAS(clear)(REAL *P, Count N) {
  for (Count I = 0; I < N; ++I)
    P[I] = 0;
}

// Staged calls, with their JVP and VJP: (to, from, bytes of both, what they are
// given beside numbers, kept bytes, kept, -). The JVP adds to the tangents of
// `to`, which are zero, the VJP to the adjoints of `from`.

// They are weak, since nobody may look from a call into what it does: what one
// does not read is there for its derivatives.

#define SHAPE                                                                  \
  long TransA, long TransB, long M, long N, long K, size_t KeptBytes,          \
      const REAL *Kept, void *Last

__attribute__((noinline, weak)) void BLAS(left)(REAL *To, const REAL *From,
                                                size_t Bytes,
                                                SHAPE) __asm__(STAGED "left");
void BLAS(left)(REAL *To, const REAL *From, size_t Bytes, SHAPE) {
  BLAS(clear)(To, M * N);
  BLAS(addProduct)(TransA, TransB, M, N, K, From, Kept, To);
}
void BLAS(leftJvp)(REAL *Dots, const REAL *From, const REAL *OfFrom,
                   SHAPE) __asm__(STAGED "left.jvp");
void BLAS(leftJvp)(REAL *Dots, const REAL *From, const REAL *OfFrom, SHAPE) {
  BLAS(addProduct)(TransA, TransB, M, N, K, OfFrom, Kept, Dots);
}
void BLAS(leftVjp)(REAL *Bars, const REAL *From, const REAL *OfTo,
                   SHAPE) __asm__(STAGED "left.vjp");
void BLAS(leftVjp)(REAL *Bars, const REAL *From, const REAL *OfTo, SHAPE) {
  if (TransA)
    BLAS(addProduct)(TransB, 1, K, M, N, Kept, OfTo, Bars);
  else
    BLAS(addProduct)(0, !TransB, M, K, N, OfTo, Kept, Bars);
}

__attribute__((noinline, weak)) void BLAS(right)(REAL *To, const REAL *From,
                                                 size_t Bytes,
                                                 SHAPE) __asm__(STAGED "right");
void BLAS(right)(REAL *To, const REAL *From, size_t Bytes, SHAPE) {
  BLAS(clear)(To, M * N);
}
void BLAS(rightJvp)(REAL *Dots, const REAL *From, const REAL *OfFrom,
                    SHAPE) __asm__(STAGED "right.jvp");
void BLAS(rightJvp)(REAL *Dots, const REAL *From, const REAL *OfFrom, SHAPE) {
  BLAS(addProduct)(TransA, TransB, M, N, K, Kept, OfFrom, Dots);
}
void BLAS(rightVjp)(REAL *Bars, const REAL *From, const REAL *OfTo,
                    SHAPE) __asm__(STAGED "right.vjp");
void BLAS(rightVjp)(REAL *Bars, const REAL *From, const REAL *OfTo, SHAPE) {
  if (TransB)
    BLAS(addProduct)(1, TransA, N, K, M, OfTo, Kept, Bars);
  else
    BLAS(addProduct)(!TransA, 0, K, N, M, Kept, OfTo, Bars);
}
#undef SHAPE

static Count BLAS(pack)(REAL *To, const REAL *A, Count M, Count N, Count Rows) {
  for (Count J = 0; J < N; ++J)
    for (Count I = 0; I < M; ++I)
      To[I + J * M] = A[I + J * Rows];
  return M * N;
}

/// C += alpha op(A) op(B), where C has \p M rows and \p N columns.
static void BLAS(product)(_Bool TransA, _Bool TransB, Count M, Count N, Count K,
                          REAL Alpha, const REAL *restrict A, Count RowsA,
                          const REAL *restrict B, Count RowsB, REAL *restrict C,
                          Count RowsC) {
  if (!(isLargeProduct(M, N, K) && mayStage())) {
    BLAS(productByLoops)(TransA, TransB, M, N, K, Alpha, A, RowsA, B, RowsB, C,
                         RowsC);
    return;
  }
  // A copy and what it is copied from have the same size.
  const size_t OfLeft = sizeof(REAL) * (M * K > M * N ? M * K : M * N);
  const size_t OfRight = sizeof(REAL) * (K * N > M * N ? K * N : M * N);
  const Count Zero = unseenZero();
  REAL *PackedA = takeStaged(OfLeft);
  REAL *PackedB = takeStaged(OfRight);
  REAL *Left = malloc(OfLeft), *Right = malloc(OfRight);
  if (!PackedA || !PackedB || !Left || !Right)
    __verso_fail("no memory for copies of the matrices of a product", "gemm");
  BLAS(pack)(PackedA + Zero, A, TransA ? K : M, TransA ? M : K, RowsA);
  BLAS(pack)(PackedB + Zero, B, TransB ? N : K, TransB ? K : N, RowsB);
  BLAS(left)(Left, PackedA, OfLeft, TransA, TransB, M, N, K, OfRight, PackedB,
             0);
  BLAS(right)(Right, PackedB, OfRight, TransA, TransB, M, N, K, OfLeft, PackedA,
              0);
  const REAL *L = Left + Zero, *R = Right + Zero;
  for (Count J = 0; J < N; ++J)
    for (Count I = 0; I < M; ++I)
      C[I + J * RowsC] += Alpha * (L[I + J * M] + R[I + J * M]);
  free(Right);
  free(Left);
  giveStaged(PackedB);
  giveStaged(PackedA);
}
