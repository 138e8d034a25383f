//===- Resolve.h - what records and rows give to their operands -*- C++ -*-===//
//
// Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One record, one row, and, by code of their own for each shape, the records
// and rows that are frequent. Part of Sweep.c: plain C, all inline.
//
//===----------------------------------------------------------------------===//

#ifndef VERSO_RUNTIME_RESOLVE_H
#define VERSO_RUNTIME_RESOLVE_H

#include "SweepTypes.h"

/// Where adjoints are: by ID, and those of direct IDs, by ID as well.
typedef struct {
  double *Adj, *Direct;
} Adjoints;

INLINE Adjoints adjointsOf(Context *C) {
  Adjoints All = {C->adj, (double *)C->direct - VERSO_ID_DIRECT};
  return All;
}

INLINE void addTo(Adjoints To, uint32_t Op, int MayBeDirect, double Term) {
  double *Cells = MayBeDirect && Op & VERSO_ID_DIRECT ? To.Direct : To.Adj;
  Cells[Op] += Term;
}

/// What a record's adjoint A gives to its operands.
INLINE void resolveTerms(const RecordView *R, Adjoints In, double A) {
  if (R->Kind == VERSO_RECORD_SUM)
    addTo(In, R->Operand[-1], /*MayBeDirect=*/1, A);
  for (uint32_t I = 0; I != R->N; ++I)
    addTo(In, R->Operand[I], /*MayBeDirect=*/1, product(R->Partial[I], A));
}

INLINE void resolveTerm(const RecordView *R, uint32_t I, Adjoints In,
                        double A) {
  addTo(In, R->Operand[I], R->MayBeDirect, product(R->Partial[I], A));
}

/// The same where all but addresses and adjoints is known to the compiler.
INLINE void resolveFewTerms(const RecordView *R, Adjoints In, double A) {
  if (R->Kind == VERSO_RECORD_SUM)
    addTo(In, R->Operand[-1], R->MayBeDirect, A);
  if (R->N > 0)
    resolveTerm(R, 0, In, A);
  if (R->N > 1)
    resolveTerm(R, 1, In, A);
  if (R->N > 2)
    resolveTerm(R, 2, In, A);
  if (R->N > 3)
    resolveTerm(R, 3, In, A);
  if (R->N > 4)
    resolveTerm(R, 4, In, A);
  if (R->N > 5)
    resolveTerm(R, 5, In, A);
  if (R->N > 6)
    resolveTerm(R, 6, In, A);
  if (R->N > 7)
    resolveTerm(R, 7, In, A);
  if (R->N > 8)
    resolveTerm(R, 8, In, A);
}

/// Resolves a record whose left-hand side is \p Id.
INLINE void resolveRecord(const RecordView *R, Adjoints In, uint32_t Id) {
  double A = In.Adj[Id];
  if (isZero(A))
    return;
  In.Adj[Id] = 0;
  resolveTerms(R, In, A);
}

/// Else the optimiser makes one tail of several, that of the slowest.
#define STAY_APART __asm__ volatile("");

/// The headers of most records. Code of their own for them takes half of the
/// instructions: nothing is decoded, and there is no loop. (Sums of five and
/// nine are of reductions, which are unrolled by four.)
#define FREQUENT_COUNTS(SHAPE, KIND)                                           \
  SHAPE(1, KIND)                                                               \
  SHAPE(2, KIND)                                                               \
  SHAPE(3, KIND)                                                               \
  SHAPE(4, KIND)                                                               \
  SHAPE(5, KIND)                                                               \
  SHAPE(6, KIND)                                                               \
  SHAPE(7, KIND)                                                               \
  SHAPE(8, KIND)                                                               \
  SHAPE(9, KIND)
#define FREQUENT_SHAPES(SHAPE)                                                 \
  FREQUENT_COUNTS(SHAPE, VERSO_RECORD_CONTRIBUTIONS)                           \
  FREQUENT_COUNTS(SHAPE, VERSO_RECORD_SUM)                                     \
  FREQUENT_COUNTS(SHAPE, VERSO_RECORD_SHARED)                                  \
  FREQUENT_COUNTS(SHAPE,                                                       \
                  VERSO_RECORD_CONTRIBUTIONS | VERSO_RECORD_MAY_BE_DIRECT)     \
  FREQUENT_COUNTS(SHAPE, VERSO_RECORD_SUM | VERSO_RECORD_MAY_BE_DIRECT)        \
  FREQUENT_COUNTS(SHAPE, VERSO_RECORD_SHARED | VERSO_RECORD_MAY_BE_DIRECT)

/// Those whose last operand a loop repeats, all that there are: products of an
/// array and a number, added to another array or not.
#define REPEATING_SHAPES(SHAPE)                                                \
  SHAPE(2, VERSO_RECORD_CONTRIBUTIONS)                                         \
  SHAPE(3, VERSO_RECORD_CONTRIBUTIONS)                                         \
  SHAPE(2, VERSO_RECORD_SUM)                                                   \
  SHAPE(3, VERSO_RECORD_SUM)                                                   \
  SHAPE(2, VERSO_RECORD_CONTRIBUTIONS | VERSO_RECORD_MAY_BE_DIRECT)            \
  SHAPE(3, VERSO_RECORD_CONTRIBUTIONS | VERSO_RECORD_MAY_BE_DIRECT)            \
  SHAPE(2, VERSO_RECORD_SUM | VERSO_RECORD_MAY_BE_DIRECT)                      \
  SHAPE(3, VERSO_RECORD_SUM | VERSO_RECORD_MAY_BE_DIRECT)

/// The header of the record that ends at \p P. A tape begins with a HANDLE
/// record, which has no frequent shape, so a look at the next record needs no
/// test for the tape's begin.
INLINE uint32_t headerAt(const char *P) {
  return *(const UnalignedWord *)(P - 4);
}

/// Resolves the records that end at \p P and have the same header; returns
/// where they begin. Most records are like those before them.
INLINE const char *resolveAlike(const char *P, uint32_t Header,
                                const char *Begin, Adjoints In, uint32_t *Id) {
  do {
    RecordView R = viewRecord(P, Header, Begin);
    double A = In.Adj[--*Id];
    P = R.Begin;
    if (isZero(A))
      continue;
    In.Adj[*Id] = 0;
    resolveFewTerms(&R, In, A);
  } while (headerAt(P) == Header);
  return P;
}

/// Resolves the records that end at \p P and have the same header and last
/// operand; returns where they begin. What goes to that operand is added up in
/// a register: in memory each addition would wait for the one before.
INLINE const char *resolveRow(const char *P, uint32_t Header, const char *Begin,
                              Adjoints In, uint32_t *Id) {
  const uint32_t Last = *(const UnalignedWord *)(P - 8);
  double Sum = 0;
  do {
    RecordView R = viewRecord(P, Header, Begin);
    double A = In.Adj[--*Id];
    P = R.Begin;
    if (isZero(A))
      continue;
    In.Adj[*Id] = 0;
    --R.N;
    resolveFewTerms(&R, In, A);
    Sum += product(R.Partial[R.N], A);
  } while (headerAt(P) == Header && *(const UnalignedWord *)(P - 8) == Last);
  if (!isZero(Sum))
    addTo(In, Last, (Header & VERSO_RECORD_MAY_BE_DIRECT) != 0, Sum);
  return P;
}

/// Whether a row of this shape ends at \p P that is not packed.
INLINE int isRowOf(const char *P, const uint32_t Shape) {
  uint32_t Header = headerAt(P);
  return isRow(Header) && !isPackedRow(Header) &&
         *(const UnalignedWord *)(P - 8) == Shape;
}

/// Resolves the row of this shape that ends at \p P; returns where it begins.
/// Contributions to what does not vary are added up in registers.
INLINE const char *resolveRowOf(const char *P, const uint32_t Shape,
                                Adjoints In, uint32_t *Id) {
  const RowView R = viewRowOf(P, Shape, /*IsPacked=*/0);
  const int Factors = (Shape & VERSO_ROW_DIRECT_FACTORS) != 0;
  const uint32_t Both = VERSO_ROW_BOTH(Shape),
                 Varying = Both + VERSO_ROW_OPERAND(Shape),
                 OfPartial = VERSO_ROW_PARTIAL(Shape);
  const uint64_t PartialBytes = rowPartialBytes(Shape),
                 Bytes = PartialBytes + rowOperandBytes(Shape);
  double Products = 0, MoreProducts = 0, Sum = 0;
  P = (const char *)R.Partial;
  do {
    P -= Bytes;
    double A = In.Adj[--*Id];
    if (isZero(A))
      continue;
    In.Adj[*Id] = 0;
    const UnalignedDouble *Partial = (const UnalignedDouble *)P;
    const UnalignedWord *Operand = (const UnalignedWord *)(P + PartialBytes);
    if (VERSO_ROW_SUMMAND(Shape))
      addTo(In, Operand[Varying], (Shape & VERSO_ROW_DIRECT_SUMMANDS) != 0, A);
#pragma clang loop unroll(full)
    for (uint32_t K = 0; K < Varying; ++K)
      addTo(In, Operand[K], Factors,
            product(K < Both ? Partial[K] : R.Partial[K - Both], A));
    if (OfPartial > 0)
      Products += product(Partial[Both], A);
    if (OfPartial > 1)
      MoreProducts += product(Partial[Both + 1], A);
    if (VERSO_ROW_UNIT(Shape))
      Sum += A;
  } while (P != R.Begin);
  if (OfPartial > 0 && !isZero(Products))
    addTo(In, R.Operand[0], /*MayBeDirect=*/1, Products);
  if (OfPartial > 1 && !isZero(MoreProducts))
    addTo(In, R.Operand[1], /*MayBeDirect=*/1, MoreProducts);
  if (VERSO_ROW_UNIT(Shape) && !isZero(Sum))
    addTo(In, R.Operand[OfPartial], /*MayBeDirect=*/1, Sum);
  return P;
}

/// A term of a packed row: the cells of its operands, and its partial.
typedef struct {
  double *To;
  double Partial;
} PackedTerm;

/// By address.
INLINE void sortTerms(PackedTerm *Terms, uint32_t Count) {
  for (uint32_t I = 1; I < Count; ++I) {
    PackedTerm T = Terms[I];
    uint32_t K = I;
    for (; K && Terms[K - 1].To > T.To; --K)
      Terms[K] = Terms[K - 1];
    Terms[K] = T;
  }
}

/// How many of \p Count terms in order go to neighbours of the first one's
/// cells.
INLINE uint32_t countNeighbours(const PackedTerm *Terms, uint32_t Count) {
  const uint32_t Most = 3, Near = 8;
  uint32_t K = 1;
  while (K < Count && K < Most && Terms[K].To - Terms->To <= Near)
    ++K;
  return K;
}

/// To[d_k + i] += p_k * A[i] for one to three terms at distances d_k, by what
/// goes to each cell: going term by term, loads would wait for the stores of
/// the term before. No A[i] is zero, and none is one of the cells.
INLINE void addToNeighbours(const PackedTerm *Terms, uint32_t Count,
                            const double *restrict A, int64_t N) {
  double *restrict To = Terms->To;
  const double P = Terms->Partial, Q = Count > 1 ? Terms[1].Partial : 0,
               R = Count > 2 ? Terms[2].Partial : 0;
  const int64_t Far = Terms[Count - 1].To - To;
  const int64_t Last = Count > 1 ? Far : 0,
                Middle = Count > 2 ? Terms[1].To - To : Last;
  // The first cells and the last get something of some terms only.
  for (uint32_t K = 0; K != Count; ++K) {
    double *Cells = Terms[K].To;
    const int64_t D = Cells - To;
    for (int64_t I = 0; I < Far - D; ++I)
      Cells[I] += Terms[K].Partial * A[I];
    for (int64_t I = N - D; I < N; ++I)
      Cells[I] += Terms[K].Partial * A[I];
  }
  if (Count == 1)
    for (int64_t J = 0; J < N; ++J)
      To[J] += P * A[J];
  else if (Count == 2)
    for (int64_t J = Far; J < N; ++J)
      To[J] += P * A[J] + Q * A[J - Last];
  else
    for (int64_t J = Far; J < N; ++J)
      To[J] += P * A[J] + Q * A[J - Middle] + R * A[J - Last];
}

/// Resolves the packed row that ends at \p P: no partial varies. What an
/// operand is in all elements lies side by side, as do their adjoints, and none
/// of these is an operand (PackRows.h), so it goes in vectors.
INLINE const char *resolvePackedRow(const char *P, Adjoints In, uint32_t Id) {
  const RowView R = viewRow(P);
  const uint32_t Varying = VERSO_ROW_OPERAND(R.Shape),
                 Count = Varying + VERSO_ROW_SUMMAND(R.Shape);
  const uint64_t N = R.N;
  double *A = In.Adj + Id;
  PackedTerm Terms[VERSO_ROW_MAX_TERMS];
  for (uint32_t K = 0; K != Count; ++K) {
    uint32_t Op = ((const UnalignedWord *)R.Begin)[K];
    Terms[K].To = (Op & VERSO_ID_DIRECT ? In.Direct : In.Adj) + Op;
    Terms[K].Partial = K < Varying ? R.Partial[K] : 1;
  }
  int AnyZero = 0;
  for (uint64_t I = 0; I != N; ++I)
    AnyZero |= isZero(A[I]);
  if (!AnyZero) {
    sortTerms(Terms, Count);
    // The row that follows is of the loop's neighbours below, mostly. Vectors
    // would wait for their cells.
    for (uint64_t I = 0; I < N; I += 8)
      __builtin_prefetch(Terms->To + I - N, /*for writing*/ 1, 3);
    for (uint32_t K = 0, Together; K != Count; K += Together) {
      Together = countNeighbours(Terms + K, Count - K);
      addToNeighbours(Terms + K, Together, A, (int64_t)N);
    }
  } else {
    // A zero adds nothing, not even a zero: a slot may hold bits.
    for (uint64_t I = 0; I != N; ++I)
      if (!isZero(A[I]))
        for (uint32_t K = 0; K != Count; ++K)
          Terms[K].To[I] += Terms[K].Partial * A[I];
  }
  double Sum = 0;
  if (VERSO_ROW_UNIT(R.Shape))
    for (uint64_t I = 0; I != N; ++I)
      Sum += A[I];
  if (!isZero(Sum))
    addTo(In, R.Operand[0], /*MayBeDirect=*/1, Sum);
  for (uint64_t I = 0; I != N; ++I)
    A[I] = 0;
  return R.Begin;
}

WIDE const char *resolvePackedRowWide(const char *P, Adjoints In, uint32_t Id) {
  return resolvePackedRow(P, In, Id);
}

/// A call, and by value, so that the other rows' code keeps its registers. \p
/// Id is that of the row's first element.
static OUTLINED const char *resolvePacked(const char *P, Adjoints In,
                                          uint32_t Id) {
  return HAS_WIDE_VECTORS ? resolvePackedRowWide(P, In, Id)
                          : resolvePackedRow(P, In, Id);
}

/// Rows have numbers of their own (Rows.def), three for each shape, by what
/// may be direct.
enum RowNumber {
#define VERSO_ROW(B, O, P, S, U) Row_##B##O##P##S##U,
#include "verso/Rows.def"
};

/// Resolves the row that ends at \p P.
INLINE const char *resolveFrequentRow(const char *P, Adjoints In,
                                      uint32_t *Id) {
  if (isPackedRow(headerAt(P)))
    return resolvePacked(P, In, *Id -= VERSO_RECORD_COUNT(headerAt(P)));
  const uint32_t Shape = *(const UnalignedWord *)(P - 8);
  switch (VERSO_ROW_NUMBER(Shape) << 2 | Shape >> 30) {
#define NUMBERED(NUMBER, FLAGS, SHAPE)                                         \
  case (NUMBER) << 2 | (FLAGS) >> 30:                                          \
    do                                                                         \
      P = resolveRowOf(P, (SHAPE) | (FLAGS), In, Id);                          \
    while (                                                                    \
        isRowOf(P, (NUMBER) << VERSO_ROW_NUMBER_SHIFT | (SHAPE) | (FLAGS)));   \
    STAY_APART                                                                 \
    return P;
#define VERSO_ROW(B, O, P, S, U)                                               \
  NUMBERED(Row_##B##O##P##S##U, 0, VERSO_ROW_SHAPE(B, O, P, S, U))             \
  NUMBERED(Row_##B##O##P##S##U, VERSO_ROW_DIRECT_FACTORS,                      \
           VERSO_ROW_SHAPE(B, O, P, S, U))                                     \
  NUMBERED(Row_##B##O##P##S##U,                                                \
           VERSO_ROW_DIRECT_FACTORS | VERSO_ROW_DIRECT_SUMMANDS,               \
           VERSO_ROW_SHAPE(B, O, P, S, U))
#include "verso/Rows.def"
#undef NUMBERED
  default:
    __builtin_unreachable();
  }
}

/// The same of any row, term by term.
INLINE const char *resolveElements(const char *P, Adjoints In, uint32_t *Id) {
  RowView R = viewRow(P);
  for (uint32_t I = R.N; I--;) {
    double A = In.Adj[--*Id];
    if (isZero(A))
      continue;
    In.Adj[*Id] = 0;
    double Partial;
    uint32_t Operand;
    for (uint32_t K = 0; rowTerm(&R, I, K, &Partial, &Operand); ++K)
      addTo(In, Operand, /*MayBeDirect=*/1, product(Partial, A));
  }
  return R.Begin;
}

/// A header with its flags at the lower end: most shapes are in one table.
#define SHAPE_OF(HEADER) ((HEADER) << 2 | (HEADER) >> 30)

/// Resolves records from \p P downwards while they are of such shapes; returns
/// where the first other one ends. \p Id is that of the record above \p P.
INLINE const char *resolveFrequent(const char *P, const char *Begin,
                                   Adjoints In, uint32_t *Id) {
  for (;;) {
    switch (SHAPE_OF(headerAt(P))) {
#define SHAPE(N, KIND)                                                         \
  case SHAPE_OF(VERSO_RECORD_HEADER(N, KIND)):                                 \
    P = resolveAlike(P, VERSO_RECORD_HEADER(N, KIND), Begin, In, Id);          \
    STAY_APART                                                                 \
    continue;
      FREQUENT_SHAPES(SHAPE)
#undef SHAPE
#define SHAPE(N, KIND)                                                         \
  case SHAPE_OF(VERSO_RECORD_HEADER(N, (KIND) | VERSO_RECORD_REPEATS)):        \
    P = resolveRow(P, VERSO_RECORD_HEADER(N, (KIND) | VERSO_RECORD_REPEATS),   \
                   Begin, In, Id);                                             \
    STAY_APART                                                                 \
    continue;
      REPEATING_SHAPES(SHAPE)
#undef SHAPE
    case SHAPE_OF(VERSO_RECORD_HEADER(0, VERSO_RECORD_LEAF)):
      P -= 4;
      --*Id;
      continue;
    default:
      if (!isRow(headerAt(P)))
        return P;
      P = resolveFrequentRow(P, In, Id);
    }
  }
}

#endif // VERSO_RUNTIME_RESOLVE_H
