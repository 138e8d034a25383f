//===- NumericalLibraries.c - bodies of BLAS and LAPACK -------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a differentiated function calls of BLAS and LAPACK are these bodies, whose
// names are
// __verso_body_ and what they stand for. They compute what the reference does
// (Lawson et al. 1979, Dongarra et al. 1988 and 1990), in another order, with
// these differences, for the sake of derivatives:
//   - a factor of zero or one is multiplied by, since its derivative is not
//     zero: a line search starts at y + 0 x. So numbers that alpha = 0
//     multiplies are read, and not skipped if they are no numbers. What
//     beta = 0 multiplies is not read: it may be uninitialised. The derivative
//     by beta is zero there;
//   - an argument that has no legal value ends the program with a message.
// Outputs overlap with nothing else, as BLAS demands.
//
//===----------------------------------------------------------------------===//

#include <limits.h>
#include <stddef.h>

double sqrt(double);
float sqrtf(float);
double fabs(double);
float fabsf(float);
double hypot(double, double);
float hypotf(float, float);
void *malloc(size_t);
void free(void *);
_Noreturn void __verso_fail(const char *Reason, const char *Where);
int verso_is_differentiated(void);
__attribute__((malloc)) void *__verso_take_block(size_t Bytes);
void __verso_give_block(void *Block);
// pass/prepare/StagedProducts.h
int mayStage(void) __asm__("verso.product.may.stage");
ptrdiff_t unseenZero(void) __asm__("verso.product.zero");
void *takeStaged(size_t Bytes) __asm__("verso.product.take");
void giveStaged(void *Block) __asm__("verso.product.give");

typedef ptrdiff_t Count;
enum Order { RowMajor = 101, ColumnMajor = 102 };
enum Transposition { NoTranspose = 111, Transposed = 112, Conjugate = 113 };
enum Triangle { Upper = 121, Lower = 122 };
enum Diagonal { NonUnit = 131, Unit = 132 };
enum Side { Left = 141, Right = 142 };
/// By rotations (QR), or by division: syev, syevd and LAPACKE's.
enum EigenSolver { Rotate, Divide, RotateOfC, DivideOfC };

/// How many columns a block has: what is larger is done by blocks, of which
/// only those on the diagonal are loops; the others are products.
enum { Block = 8 };

/// How many columns before the block that begins at column \p K are due: their
/// products with so many behind K are taken off. It is the largest power of two
/// that divides K, so that each pair of blocks has its turn as if halves called
/// themselves: products are large, and what is kept of their operands for the
/// way back are O(n^2 log n) numbers.
static Count columnsDue(Count K) { return K & -K; }

static void requireLegal(_Bool Holds, const char *Name) {
  if (!Holds)
    __verso_fail("an argument of a BLAS or LAPACK function has no legal value",
                 Name);
}

static _Bool isLetter(char Letter, char Upper) {
  return Letter == Upper || Letter == Upper - 'A' + 'a';
}

/// Whether \p Letter is \p This; else it is \p Other.
static _Bool isThisOf(char Letter, char This, char Other, const char *Name) {
  requireLegal(isLetter(Letter, This) || isLetter(Letter, Other), Name);
  return isLetter(Letter, This);
}

static _Bool isLower(char Uplo, const char *Name) {
  return isThisOf(Uplo, 'L', 'U', Name);
}

static _Bool isUnit(char Diag, const char *Name) {
  return isThisOf(Diag, 'U', 'N', Name);
}

static _Bool isLeft(char Side, const char *Name) {
  return isThisOf(Side, 'L', 'R', Name);
}

static _Bool isTransposed(char Trans, const char *Name) {
  requireLegal(isLetter(Trans, 'N') || isLetter(Trans, 'T') ||
                   isLetter(Trans, 'C'),
               Name);
  return !isLetter(Trans, 'N');
}

static _Bool transposes(int Trans, const char *Name) {
  requireLegal(Trans >= NoTranspose && Trans <= Conjugate, Name);
  return Trans != NoTranspose;
}

static _Bool isRowMajor(int Order, const char *Name) {
  requireLegal(Order == RowMajor || Order == ColumnMajor, Name);
  return Order == RowMajor;
}

/// Whether \p Value is \p This; else it is \p Other.
static _Bool isValueOf(int Value, int This, int Other, const char *Name) {
  requireLegal(Value == This || Value == Other, Name);
  return Value == This;
}

/// Where a vector of \p N elements begins: a negative step goes through them
/// from the last place in memory.
static Count firstOf(Count N, Count Step) {
  return Step < 0 ? (1 - N) * Step : 0;
}

static Count atLeastOne(Count N) { return N > 1 ? N : 1; }

/// Whether it is worth its copies.
static _Bool isLargeProduct(Count M, Count N, Count K) {
  return M * N * K >= 500 && M > 4 && N > 4 && K > 4;
}

/// The columns of a tile, with the registers that SSE2 has, and from which
/// number of products on tiles are worth their packing.
enum { TileColumns = 3, LeastByTiles = 4096 };

static Count least(Count A, Count B) { return A < B ? A : B; }

/// What of a matrix LAPACK's copies and fillings are of.
enum Part { All, UpperPart, LowerPart };

static enum Part partOf(char Uplo, _Bool IsTurned) {
  if (isLetter(Uplo, 'U') || isLetter(Uplo, 'L'))
    return isLetter(Uplo, 'U') != IsTurned ? UpperPart : LowerPart;
  return All;
}

static Count partBegin(enum Part Part, Count Column) {
  return Part == LowerPart ? Column : 0;
}

static Count partEnd(enum Part Part, Count Column, Count Rows) {
  return Part == UpperPart ? least(Column + 1, Rows) : Rows;
}

#define REAL float
#define BLAS(NAME) s##NAME
#define FORTRAN(NAME) s##NAME##_
#define CBLAS(NAME) cblas_s##NAME
#define LAPACKE(NAME) LAPACKE_s##NAME
#define STAGED "verso.product.s."
#define EPSILON 0x1p-23f
#define BODY(NAME) __verso_body_s##NAME##_
#define CBODY(NAME) __verso_body_cblas_s##NAME
#define EBODY(NAME) __verso_body_LAPACKE_s##NAME
#define EIGEN(NAME) __verso_body_eigen_s##NAME
#define AMAX __verso_body_isamax_
#define CAMAX __verso_body_cblas_isamax
#define MATH(NAME) NAME##f
#define TINY 0x1p-60f
#define HUGE 0x1p120f
#define UP 0x1p80f
#include "NumericalBodies.h"

#define REAL double
#define BLAS(NAME) d##NAME
#define FORTRAN(NAME) d##NAME##_
#define CBLAS(NAME) cblas_d##NAME
#define LAPACKE(NAME) LAPACKE_d##NAME
#define STAGED "verso.product.d."
#define EPSILON 0x1p-52
#define BODY(NAME) __verso_body_d##NAME##_
#define CBODY(NAME) __verso_body_cblas_d##NAME
#define EBODY(NAME) __verso_body_LAPACKE_d##NAME
#define EIGEN(NAME) __verso_body_eigen_d##NAME
#define AMAX __verso_body_idamax_
#define CAMAX __verso_body_cblas_idamax
#define MATH(NAME) NAME
#define TINY 0x1p-900
#define HUGE 0x1p1020
#define UP 0x1p600
#include "NumericalBodies.h"
