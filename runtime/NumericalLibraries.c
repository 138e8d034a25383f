//===- NumericalLibraries.c - bodies of BLAS ------------------------------===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a differentiated function calls of BLAS are these bodies, whose names are
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
// pass/prepare/StagedProducts.h
int mayStage(void) __asm__("verso.product.may.stage");
ptrdiff_t unseenZero(void) __asm__("verso.product.zero");
void *takeStaged(size_t Bytes) __asm__("verso.product.take");
void giveStaged(void *Block) __asm__("verso.product.give");

typedef ptrdiff_t Count;
enum Order { RowMajor = 101, ColumnMajor = 102 };
enum Transposition { NoTranspose = 111, Transposed = 112, Conjugate = 113 };

static void requireLegal(_Bool Holds, const char *Name) {
  if (!Holds)
    __verso_fail("an argument of a BLAS function has no legal value", Name);
}

static _Bool isLetter(const char *Text, char Upper) {
  return *Text == Upper || *Text == Upper - 'A' + 'a';
}

static _Bool transposesText(const char *Text, const char *Name) {
  requireLegal(
      isLetter(Text, 'N') || isLetter(Text, 'T') || isLetter(Text, 'C'), Name);
  return !isLetter(Text, 'N');
}

static _Bool transposes(int Trans, const char *Name) {
  requireLegal(Trans >= NoTranspose && Trans <= Conjugate, Name);
  return Trans != NoTranspose;
}

static _Bool isRowMajor(int Order, const char *Name) {
  requireLegal(Order == RowMajor || Order == ColumnMajor, Name);
  return Order == RowMajor;
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

#define REAL float
#define BLAS(NAME) s##NAME
#define FORTRAN(NAME) s##NAME##_
#define CBLAS(NAME) cblas_s##NAME
#define STAGED "verso.product.s."
#define BODY(NAME) __verso_body_s##NAME##_
#define CBODY(NAME) __verso_body_cblas_s##NAME
#define AMAX __verso_body_isamax_
#define CAMAX __verso_body_cblas_isamax
#define MATH(NAME) NAME##f
#define TINY 0x1p-60f
#define HUGE 0x1p120f
#define UP 0x1p80f
#include "Blas.h"

#define REAL double
#define BLAS(NAME) d##NAME
#define FORTRAN(NAME) d##NAME##_
#define CBLAS(NAME) cblas_d##NAME
#define STAGED "verso.product.d."
#define BODY(NAME) __verso_body_d##NAME##_
#define CBODY(NAME) __verso_body_cblas_d##NAME
#define AMAX __verso_body_idamax_
#define CAMAX __verso_body_cblas_idamax
#define MATH(NAME) NAME
#define TINY 0x1p-900
#define HUGE 0x1p1020
#define UP 0x1p600
#include "Blas.h"
