//===- SweepTypes.h - how sweeps access memory ------------------*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_SWEEPTYPES_H
#define VERSO_RUNTIME_SWEEPTYPES_H

#include "verso/Layout.h"
#include "verso/PackedRows.h"

#define INLINE static inline __attribute__((always_inline))
/// What the runtime does itself where no outer request differentiates it
/// (leaveToRuntime in pass/emit/); RARE: on paths that are hardly ever taken.
#define OUTLINED __attribute__((noinline))
#define RARE __attribute__((noinline, cold))
/// Large, and on paths that are taken less: where an outer request
/// differentiates it, by tape, one copy is enough.
#define APART static inline __attribute__((noinline))

typedef struct verso_context Context;
typedef struct verso_cell Cell;

/// A function that is called where HAS_WIDE_VECTORS, for loops over many
/// numbers. It computes the same: no products are fused.
#ifdef VERSO_SUPPORT_BITCODE
#define HAS_WIDE_VECTORS 0
#define WIDE static
#else
#define HAS_WIDE_VECTORS __builtin_cpu_supports("avx2")
#define WIDE static __attribute__((noinline, target("avx2")))
#endif

/// Unaligned accesses: the tape packs records, a user's cells may be packed.
typedef double UnalignedDouble __attribute__((aligned(1), may_alias));
typedef float UnalignedFloat __attribute__((aligned(1), may_alias));
typedef void *UnalignedPointer __attribute__((aligned(1), may_alias));
typedef uint32_t UnalignedWord __attribute__((aligned(1), may_alias));
typedef uint64_t UnalignedLong __attribute__((aligned(1), may_alias));
typedef long double AliasingLongDouble __attribute__((aligned(1), may_alias));
/// An adjoint that holds bits of something else.
typedef uint64_t AdjointBits __attribute__((may_alias));

#ifdef VERSO_SUPPORT_BITCODE
/// What a zero adjoint decides, as an outer request may see it: see Zero.h in
/// pass/rules/, which lowers these.
double product(double Partial, double Adjoint) __asm__("verso.product.double")
    __attribute__((const, nothrow));
_Bool isZero(double Adjoint) __asm__("verso.is.zero.double")
    __attribute__((const, nothrow));
#else
INLINE double product(double Partial, double Adjoint) {
  return Adjoint == 0 ? 0 : Partial * Adjoint;
}
INLINE int isZero(double Adjoint) { return Adjoint == 0; }
#endif

/// The relative ID that an image word stands for; 0 when it is stale.
INLINE uint32_t relative(const Context *C, uint32_t Word) {
  uint32_t Id = Word - C->base;
  return Id < C->next ? Id : 0;
}

/// A record, read from its end.
typedef struct {
  const char *Begin; ///< Where the record before it ends.
  const UnalignedDouble *Partial;
  const UnalignedWord *Operand; ///< A sum's first operand stands before these.
  uint32_t N;                   ///< Contributions, but for a sum's first one.
  uint32_t Ids;                 ///< How many left-hand sides it has.
  uint32_t Kind;
  int MayBeDirect; ///< Whether an operand may be a direct ID.
} RecordView;

/// The record that ends at \p End, with this header.
INLINE RecordView viewRecord(const char *End, uint32_t Header,
                             const char *TapeBegin) {
  RecordView R;
  R.Kind = Header & ((1 << VERSO_RECORD_KIND_BITS) - 1);
  R.N = VERSO_RECORD_COUNT(Header);
  R.MayBeDirect = (Header & VERSO_RECORD_MAY_BE_DIRECT) != 0;
  R.Ids = 1;
  R.Partial = 0;
  R.Operand = 0;
  R.Begin = End - 4;
  if (R.Kind == VERSO_RECORD_SHARED) {
    uint64_t Block = *(const UnalignedWord *)(End - 8);
    R.Begin = End - 8 - 4 * (uint64_t)R.N;
    R.Operand = (const UnalignedWord *)R.Begin;
    R.Partial =
        (const UnalignedDouble *)(TapeBegin + VERSO_BLOCK_BYTES * Block);
  } else if (R.Kind <= VERSO_RECORD_SUM) {
    R.Operand = (const UnalignedWord *)(End - 4 - 4 * (uint64_t)R.N) + R.Kind;
    R.N -= R.Kind;
    R.Begin = End - 4 - 12 * (uint64_t)R.N - 4 * R.Kind;
    R.Partial = (const UnalignedDouble *)R.Begin;
  } else if (R.Kind == VERSO_RECORD_RUN) {
    R.Ids = R.N;
  } else if (R.Kind == VERSO_RECORD_HALVES) {
    R.Begin = End - (R.N == VERSO_HALVES_ARE_PIECES ? 24 : 12);
    if (R.N == VERSO_HALVES_ARE_KERNEL)
      R.Begin = End - 4 - 4 * (uint64_t) * (const UnalignedWord *)(End - 8);
  } else if (R.Kind == VERSO_RECORD_BLOCK) {
    R.Begin = End - 4 - 4 * (uint64_t)R.N;
    R.Ids = 0;
  }
  return R;
}

/// A row: many records with as many left-hand sides, read from its end.
typedef struct {
  const char *Begin;              ///< The first element.
  const UnalignedDouble *Partial; ///< Those that do not vary.
  const UnalignedWord *Operand;   ///< Likewise.
  uint32_t N;                     ///< Elements.
  uint32_t Shape;
  int IsPacked;
} RowView;

INLINE int isRow(uint32_t Header) {
  return (Header & (VERSO_RECORD_REPEATS | 7)) ==
         (VERSO_RECORD_REPEATS | VERSO_RECORD_RUN);
}

/// How many partials and operands each element has, in bytes.
INLINE uint64_t rowPartialBytes(uint32_t Shape) {
  return 8 * (VERSO_ROW_BOTH(Shape) + VERSO_ROW_PARTIAL(Shape));
}
INLINE uint64_t rowOperandBytes(uint32_t Shape) {
  return 4 * (VERSO_ROW_BOTH(Shape) + VERSO_ROW_OPERAND(Shape) +
              VERSO_ROW_SUMMAND(Shape));
}

INLINE RowView viewRowOf(const char *End, uint32_t Shape, int IsPacked) {
  RowView R;
  R.N = VERSO_RECORD_COUNT(*(const UnalignedWord *)(End - 4));
  R.Shape = Shape;
  R.IsPacked = IsPacked;
  const char *Operand =
      End - 8 -
      4 * (uint64_t)(VERSO_ROW_PARTIAL(Shape) + VERSO_ROW_UNIT(Shape));
  const char *Partial = Operand - 8 * (uint64_t)VERSO_ROW_OPERAND(Shape);
  R.Operand = (const UnalignedWord *)Operand;
  R.Partial = (const UnalignedDouble *)Partial;
  R.Begin = Partial - (IsPacked ? 1 : R.N) *
                          (rowPartialBytes(Shape) + rowOperandBytes(Shape));
  return R;
}

INLINE int isPackedRow(uint32_t Header) {
  return (Header & VERSO_ROW_IS_PACKED) != 0;
}

/// The row that ends at \p End.
INLINE RowView viewRow(const char *End) {
  return viewRowOf(End, *(const UnalignedWord *)(End - 8),
                   isPackedRow(*(const UnalignedWord *)(End - 4)));
}

/// A term of element \p I of a row. Terms are numbered from 0; returns whether
/// there is such a term.
INLINE int rowTerm(const RowView *R, uint32_t I, uint32_t Term, double *Partial,
                   uint32_t *Operand) {
  const uint32_t Both = VERSO_ROW_BOTH(R->Shape),
                 Varying = VERSO_ROW_OPERAND(R->Shape),
                 OfPartial = VERSO_ROW_PARTIAL(R->Shape),
                 Summands = VERSO_ROW_SUMMAND(R->Shape),
                 Units = VERSO_ROW_UNIT(R->Shape);
  const uint64_t PartialBytes = rowPartialBytes(R->Shape);
  const uint32_t Further = R->IsPacked ? I : 0;
  const char *Element =
      R->Begin + (I - Further) * (PartialBytes + rowOperandBytes(R->Shape));
  const UnalignedDouble *P = (const UnalignedDouble *)Element;
  const UnalignedWord *Op = (const UnalignedWord *)(Element + PartialBytes);
  *Partial = 1;
  if (Term < Both) {
    *Partial = P[Term];
    *Operand = Op[Term] + Further;
  } else if (Term < Both + Varying) {
    *Partial = R->Partial[Term - Both];
    *Operand = Op[Term] + Further;
  } else if (Term < Both + Varying + Summands) {
    *Operand = Op[Term] + Further;
  } else if (Term < Both + Varying + Summands + OfPartial) {
    *Partial = P[Term - Varying - Summands];
    *Operand = R->Operand[Term - Both - Varying - Summands];
  } else if (Term < Both + Varying + Summands + OfPartial + Units) {
    *Operand = R->Operand[Term - Both - Varying - Summands];
  } else {
    return 0;
  }
  return 1;
}

INLINE RecordView readRecord(const char *End, const char *TapeBegin) {
  return viewRecord(End, *(const UnalignedWord *)(End - 4), TapeBegin);
}

/// The operands and the header of the HALVES record that \p Id, of a granule's
/// image, stands for; null if it is none.
INLINE const UnalignedWord *halvesOf(const Context *C, uint32_t Id) {
  uint64_t Slot = *(const AdjointBits *)(C->adj + Id);
  return (Slot & VERSO_HALVES_MASK) == VERSO_HALVES
             ? (const UnalignedWord *)(C->tape_begin +
                                       (Slot & ~VERSO_HALVES_MASK))
             : 0;
}

/// Whether the shadow at \p At, of a cell of this kind, holds an integer and
/// not a derivative: shadow structures are often copies of the primal ones. As
/// a number it is subnormal or, if negative, a NaN that no arithmetic makes.
/// Asked only of cells whose bits went through integer arithmetic.
INLINE int holdsInteger(enum verso_cell_kind Kind, const char *At) {
  if (Kind == VERSO_CELL_FLOAT) {
    uint32_t Bits = *(const UnalignedWord *)At;
    return Bits << 1 < UINT32_C(1) << 24 || Bits > UINT32_C(0xffc00000);
  }
  if (Kind == VERSO_CELL_DOUBLE) {
    uint64_t Bits = *(const UnalignedLong *)At;
    return Bits << 1 < UINT64_C(1) << 53 || Bits > UINT64_C(0xfff8) << 48;
  }
  return 0;
}

#endif // VERSO_RUNTIME_SWEEPTYPES_H
